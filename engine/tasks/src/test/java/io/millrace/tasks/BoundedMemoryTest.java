// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BoundedMemoryTest {

    /** All tasks together are several times larger than the heap. */
    private static final int TASKS = Integer.getInteger("millrace.tasks", 200_000);

    @ParameterizedTest
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    @ValueSource(strings = {"run", "stealing", "keys", "results", "ordered", "failing"})
    void tasksLargerThanTheHeapInTotalRunInAHeapOf64Megabytes(String variant) throws Exception {
        Process flow = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx64m",
                        "-XX:+ExitOnOutOfMemoryError",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Dmillrace.tasks=" + TASKS,
                        "-cp",
                        System.getProperty("java.class.path"),
                        MillionTasks.class.getName(),
                        variant)
                .redirectErrorStream(true)
                .start();

        String output;
        try (InputStream stream = flow.getInputStream()) {
            output = new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        }

        assertThat(flow.waitFor(5, TimeUnit.MINUTES)).isTrue();
        assertThat(output).contains("produced: " + TASKS).contains("pending: 0");
        assertThat(flow.exitValue()).as(output).isZero();
    }
}
