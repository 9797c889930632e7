// SPDX-License-Identifier: Apache-2.0
package io.millrace.vertx;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.CommandCounts;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests that a sink needs little memory, in a separate JVM with a small heap. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class MillionRowsTest {

    private static final int ROWS = Integer.getInteger("millrace.vertxRows", 1_000_000);

    @Test
    void aMillionRowsPassThroughASinkInAHeapOf64Megabytes() throws Exception {
        try (EmbeddedRedis server = EmbeddedRedis.start()) {
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xmx64m",
                            "-XX:+UseSerialGC",
                            "-ea",
                            "-cp",
                            System.getProperty("java.class.path"),
                            MillionRows.class.getName(),
                            "redis://" + server.host() + ":" + server.port(),
                            Integer.toString(ROWS))
                    .redirectErrorStream(true)
                    .start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(output).contains(new CommandCounts(ROWS, ROWS, 0, 0, 0, 0, 0).toString());
            assertThat(process.exitValue()).isZero();
        }
    }
}
