// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BoundedMemoryTest {

    @ParameterizedTest
    @ValueSource(strings = {"run", "stealing", "keys", "results", "ordered", "failing"})
    void aMillionTasksGoThroughAHeapOfSixtyFourMegabytes(String how) throws Exception {
        Process flow = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx64m",
                        "-XX:+ExitOnOutOfMemoryError",
                        "-cp",
                        System.getProperty("java.class.path"),
                        MillionTasks.class.getName(),
                        how)
                .redirectErrorStream(true)
                .start();

        String said;
        try (InputStream output = flow.getInputStream()) {
            said = new String(output.readAllBytes(), StandardCharsets.UTF_8);
        }

        assertThat(flow.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(said).contains("produced: 1000000").contains("pending: 0");
        assertThat(flow.exitValue()).as(said).isZero();
    }
}
