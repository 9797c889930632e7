// SPDX-License-Identifier: Apache-2.0
package io.millrace.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 200, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EmbeddedSentinelsTest {

    @Test
    void sentinelsPromoteTheReplicaOfAKilledPrimary() {
        try (EmbeddedSentinels servers = EmbeddedSentinels.start()) {
            assertThat(servers.sentinels()).hasSize(3);
            assertThat(servers.uri()).startsWith("redis-sentinel://127.0.0.1:").endsWith("/0#millrace");

            servers.firstPrimary().kill();

            ServerProbe replica = new ServerProbe(servers.firstReplica().port(), Optional.empty());
            while (!replica.ask("replication")
                    .map(fields -> "master".equals(fields.get("role")))
                    .orElse(false)) {
                LockSupport.parkNanos(10_000_000);
            }
        }
    }

    @Test
    void sentinelsAndServersHavePasswordsOfTheirOwn() throws IOException {
        EmbeddedOptions options = EmbeddedOptions.defaults().withPassword("d4ta \"quoted\"");
        List<EmbeddedRedis> processes;
        try (EmbeddedSentinels servers = EmbeddedSentinels.start(options, 1, Optional.of("w4tch"))) {
            processes = Stream.concat(
                            Stream.of(servers.firstPrimary(), servers.firstReplica()), servers.sentinels().stream())
                    .toList();
            try (InlineClient sentinel =
                    InlineClient.connect(servers.sentinels().getFirst())) {
                assertThat(sentinel.call("PING")).startsWith("-NOAUTH");
                assertThat(sentinel.call("AUTH w4tch")).isEqualTo("+OK");
                assertThat(sentinel.call("SENTINEL CKQUORUM millrace")).startsWith("+OK");
            }
        }

        assertThat(processes).noneMatch(EmbeddedRedis::isAlive);
        assertThat(processes)
                .allSatisfy(process -> assertThat(process.directory()).doesNotExist());
    }
}
