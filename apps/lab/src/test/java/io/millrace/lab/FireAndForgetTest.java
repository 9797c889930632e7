// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.Overflow;
import io.millrace.lab.run.LabException;
import io.millrace.lab.run.RedisServer;
import io.millrace.lab.run.Tools;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.args.ClientPauseMode;

class FireAndForgetTest {

    @TempDir
    private Path folder;

    private void run(RedisServer server, Overflow overflow, int window) {
        var command = List.of(
                Tools.java(),
                "-Xmx128m",
                "-cp",
                Tools.classPathText(),
                FireAndForget.class.getName(),
                server.endpoint().host(),
                Integer.toString(server.endpoint().port()),
                "50",
                overflow.name(),
                Integer.toString(window));
        Tools.run(command, folder.resolve("output"));
    }

    private String output() throws IOException {
        return Files.readString(folder.resolve("output"));
    }

    /** By the server's own count; what was fused is held against it. */
    private long carriedOut(RedisServer server) throws IOException {
        var fused = Pattern.compile("fusedCommands=(\\d+) fusedRuns=(\\d+)").matcher(output());
        assertThat(fused.find()).isTrue();
        assertThat(server.statistics("mset").calls()).isEqualTo(Long.parseLong(fused.group(2)));
        return server.statistics("set").calls() + Long.parseLong(fused.group(1));
    }

    @Test
    void withoutRefusalEveryCommandIsCarriedOut() throws Exception {
        try (var server = TestServer.start(folder)) {
            server.reset();

            run(server, Overflow.BLOCK, 1_000);

            long calls = carriedOut(server);
            assertThat(output())
                    .startsWith("submitted=" + calls + " ok=" + calls
                            + " error=0 timedOut=0 refused=0 lost=0 pending=0 fusedCommands=");
        }
    }

    @Test
    void whatAServerThatStandsStillCannotTakeIsRefusedAndCounted() throws Exception {
        try (var server = TestServer.start(folder)) {
            server.reset();
            server.control().clientPause(3_000, ClientPauseMode.WRITE);

            run(server, Overflow.REFUSE, 10);

            long calls = carriedOut(server);
            var said = Pattern.compile("submitted=(\\d+) ok=(\\d+) error=0 timedOut=0 refused=(\\d+) lost=0 pending=0 ")
                    .matcher(output());
            assertThat(said.lookingAt()).isTrue();
            long refused = Long.parseLong(said.group(3));
            assertThat(refused).isPositive();
            assertThat(Long.parseLong(said.group(2))).isEqualTo(calls);
            assertThat(Long.parseLong(said.group(1))).isEqualTo(calls + refused);
        }
    }

    @Test
    void aCommandThatFailsIsNotPassedOver() {
        try (var server = TestServer.start(folder)) {
            server.control().configSet("maxmemory", "1");

            assertThatThrownBy(() -> run(server, Overflow.BLOCK, 1_000))
                    .isInstanceOf(LabException.class)
                    .hasMessageContaining("exit=1")
                    .hasMessageContaining(" ok=0 ");
        }
    }
}
