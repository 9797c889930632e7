// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.lab.TestServer;
import io.millrace.lab.run.RedisServer.CommandStatistics;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.exceptions.JedisDataException;

class RedisServerTest {

    @TempDir
    private Path folder;

    @Test
    void callsAreCountedByCommandAndFateUntilTheReset() {
        try (var server = TestServer.start(folder)) {
            server.control().set("text", "x");
            assertThatThrownBy(() -> server.control().incr("text")).isInstanceOf(JedisDataException.class);

            var before = List.of(server.statistics("set"), server.statistics("incr"), server.statistics("get"));
            server.reset();

            assertThat(before)
                    .containsExactly(
                            new CommandStatistics(1, 0, 0),
                            new CommandStatistics(1, 1, 0),
                            new CommandStatistics(0, 0, 0));
            assertThat(server.statistics("set")).isEqualTo(new CommandStatistics(0, 0, 0));
            assertThat(server.control().dbSize()).isZero();
        }
    }

    @Test
    void whatIsMissingIsNamedTogetherWithWhatToInstall() {
        assertThatThrownBy(() -> Tools.require(List.of("sh", "redis-serverr", "redis-clii")))
                .isInstanceOf(LabException.class)
                .hasMessage("not on the PATH: redis-serverr, redis-clii. Install Redis with its tools"
                        + " (Debian and Ubuntu: apt install redis-server redis-tools).");
    }
}
