// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples.effect;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Server;
import io.millrace.embedded.EmbeddedRedis;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the example in a separate process, as a user does. The threads of the global runtime of cats-effect never end,
 * so they must not run in the JVM of the tests.
 */
class EffectsAndStreamsTest {

    @Test
    void programCountsEachVisitAndLeavesNoKeys(@TempDir Path folder) throws Exception {
        try (EmbeddedRedis server = EmbeddedRedis.start()) {
            List<String> command = List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-cp",
                    System.getProperty("java.class.path"),
                    "io.millrace.examples.effect.EffectsAndStreams",
                    server.uri());

            Path out = folder.resolve("out");
            Process program = new ProcessBuilder(command)
                    .redirectOutput(out.toFile())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            try {
                assertThat(program.waitFor(120, TimeUnit.SECONDS))
                        .as("the program has ended")
                        .isTrue();
            } finally {
                program.destroyForcibly();
            }
            String output = Files.readString(out);

            assertThat(program.exitValue()).isZero();
            assertThat(output).isEqualTo("(ERR value is not an integer or out of range,100), (Ok,9900), page 8: 100\n");
            assertThat(Files.readString(Path.of("../../docs/scala.md"))).contains("```text\n" + output + "```");
            try (RedisClient client = RedisClient.connect(RedisUri.parse(server.uri()))) {
                assertThat(client.call(Server.size())).isZero();
            }
        }
    }
}
