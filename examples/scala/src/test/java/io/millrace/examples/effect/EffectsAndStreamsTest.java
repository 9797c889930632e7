// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples.effect;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Server;
import io.millrace.embedded.EmbeddedRedis;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Runs the example in a separate process, as a user does. The threads of the global runtime of cats-effect never end,
 * so they must not run in the JVM of the tests.
 */
class EffectsAndStreamsTest {

    @Test
    void programCountsEachVisitAndLeavesNoKeys() throws Exception {
        try (EmbeddedRedis server = EmbeddedRedis.start()) {
            List<String> command = List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-cp",
                    System.getProperty("java.class.path"),
                    "io.millrace.examples.effect.EffectsAndStreams",
                    server.uri());

            Process program = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            String output = new String(program.getInputStream().readAllBytes(), UTF_8);

            assertThat(program.waitFor()).isZero();
            assertThat(output).isEqualTo("(ERR value is not an integer or out of range,100), (Ok,9900), page 8: 100\n");
            assertThat(Files.readString(Path.of("../../docs/scala.md"))).contains("```text\n" + output + "```");
            try (RedisClient client = RedisClient.connect(RedisUri.parse(server.uri()))) {
                assertThat(client.call(Server.size())).isZero();
            }
        }
    }
}
