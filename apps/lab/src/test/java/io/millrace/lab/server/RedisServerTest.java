// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.lab.TestServer;
import io.millrace.lab.client.Target;
import io.millrace.lab.server.RedisServer.CommandStatistics;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.Jedis;

/** The lab on a server of the user. */
class RedisServerTest {

    private static final int MANY = 12_345; // More than two pages of a scan.

    private final EmbeddedRedis redis =
            EmbeddedRedis.start(EmbeddedOptions.defaults().withUnixSocket());
    private final Jedis control = TestServer.connect(redis);

    @AfterEach
    void stop() {
        control.close();
        redis.close();
    }

    private RedisServer use(Keyspace keyspace) {
        return RedisServer.at(TestServer.target(redis), keyspace, () -> {});
    }

    private void fill(String prefix, int count) {
        try (var pipeline = control.pipelined()) {
            IntStream.range(0, count).forEach(n -> pipeline.set(prefix + n, "x"));
        }
    }

    /** Seven keys that resemble keys of the lab. */
    private void fillForeign() {
        fill("millrace-la", 1);
        fill("millrace-labX", 1);
        fill("xmillrace-lab:", 1);
        fill("Millrace-lab:", 1);
        control.set("redisson__timeout__set:tenant:" + Keyspace.PREFIX + "x", "x");
        control.set(Keyspace.SERVER_VALUES + "tea", "x");
        control.set(Keyspace.SERVER_VALUES + "x" + Keyspace.PREFIX + "x", "x");
    }

    @Test
    void keysOfTheLabAreCountedAndRemovedAndForeignKeysStay() {
        fillForeign();
        fill(Keyspace.PREFIX, 10); // Keys of a lab that was killed.

        try (var server = use(Keyspace.PREFIX_BESIDE_OTHERS)) {
            assertThat(server.keys()).isZero();
            fill(Keyspace.PREFIX, MANY);
            control.set("redisson__timeout__set:" + Keyspace.PREFIX + "{cache}", "x");
            control.set(Keyspace.SERVER_VALUES + Keyspace.PREFIX + "item", "x");
            assertThat(server.keys()).isEqualTo(MANY + 2);
            assertThat(server.keys(Keyspace.PREFIX + "1234")).isEqualTo(6); // 1234 and 12340 to 12344
            server.reset();
            assertThat(server.keys()).isZero();
            fill(Keyspace.PREFIX, MANY);
        }

        assertThat(control.dbSize()).isEqualTo(7);
    }

    @Test
    void databaseWithOneForeignKeyIsRefused() {
        fill(Keyspace.PREFIX, MANY);
        control.set("foreign", "x");

        assertThatThrownBy(() -> use(Keyspace.PREFIX_ALONE))
                .isInstanceOf(LabException.class)
                .hasMessage("the database holds keys that do not belong to the lab: database=0, keys=1."
                        + " Select an empty one with --database, or use --beside-other-keys.");
        assertThat(control.keys("*")).containsExactly("foreign");
    }

    @Test
    void serverOfTheLabIsEmptiedCompletely() {
        fillForeign();
        try (var server = use(Keyspace.WHOLE)) {
            control.select(1);
            control.set("another database", "x");

            server.reset();

            assertThat(control.dbSize()).isZero();
            assertThat(server.keys()).isZero();
        }
    }

    @Test
    void commandsOfAnEndedClientAreRemovedToo() throws Exception {
        try (var server = use(Keyspace.PREFIX_BESIDE_OTHERS);
                var later = Executors.newSingleThreadScheduledExecutor()) {
            server.reset();
            redis.pause();
            fillSocketAndLeave();

            var resumed = later.schedule(redis::resume, 100, TimeUnit.MILLISECONDS);
            server.settle();
            resumed.get();

            assertThat(server.statistics("set").calls()).isGreaterThan(10_000);
            assertThat(control.dbSize()).isZero();
        }
    }

    /** Sends as many commands as the sockets hold. An unread reply would reset the connection, so there are no replies. */
    private void fillSocketAndLeave() throws IOException {
        try (var socket = SocketChannel.open(new InetSocketAddress(redis.host(), redis.port()))) {
            socket.configureBlocking(false);
            String commands = IntStream.range(0, 500_000)
                    .mapToObj(n -> "SET " + Keyspace.PREFIX + n + " x\r\n")
                    .collect(Collectors.joining("", "CLIENT REPLY OFF\r\n", ""));
            ByteBuffer bytes = ByteBuffer.wrap(commands.getBytes(StandardCharsets.US_ASCII));
            while (socket.write(bytes) > 0) {
                // Until both sockets are full.
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void statisticsCountSinceTheLastReset(Keyspace keyspace) {
        fill(Keyspace.PREFIX, 7);
        try (var server = use(keyspace);
                var counter = server.openCounter()) {
            server.reset();
            long before = counter.processed();
            fill(Keyspace.PREFIX, 5);
            control.lpush(Keyspace.PREFIX + "list", "x");
            assertThatThrownBy(() -> control.incr(Keyspace.PREFIX + "list")).hasMessageContaining("WRONGTYPE");
            long after = counter.processed();

            assertThat(server.statistics("set").complaints("set", 5)).isEmpty();
            assertThat(server.statistics("set").complaints("set", 6))
                    .containsExactly("calls of set: expected=6, executed=5, failed=0, rejected=0");
            assertThat(server.statistics("incr")).isEqualTo(new CommandStatistics(1, 1, 0));
            assertThat(server.statistics("get")).isEqualTo(CommandStatistics.NONE);
            assertThat(after - before).isEqualTo(7);
            assertThat(server.cpu().seconds()).isPositive();
        }
    }

    @Test
    void unixSocketIsUsed() {
        var target = new Target(
                "nowhere.invalid",
                1,
                redis.unixSocket(),
                Optional.empty(),
                Optional.empty(),
                2,
                Optional.empty(),
                false,
                0,
                0,
                Target.LONG_TIMEOUT);
        fill(Keyspace.PREFIX, 3); // In database 0.

        try (var server = RedisServer.at(target, Keyspace.PREFIX_ALONE, () -> {})) {
            server.control().set(Keyspace.PREFIX + "a", "x");
            assertThat(server.keys()).isEqualTo(1);
        }

        assertThat(control.dbSize()).isEqualTo(3);
    }

    @Test
    void clusterIsUsedOnlyIfNamed() {
        try (var node = EmbeddedRedis.start(EmbeddedOptions.defaults().withConfig("cluster-enabled yes"));
                var admin = TestServer.connect(node)) {
            admin.clusterAddSlotsRange(0, 16_383);
            while (!admin.clusterInfo().contains("cluster_state:ok")) {
                Thread.onSpinWait(); // The node needs a moment to see that all slots are assigned.
            }
            Target single = TestServer.target(node);
            var cluster = new Target(
                    single.host(),
                    single.port(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    0,
                    Optional.empty(),
                    true,
                    0,
                    0,
                    Target.LONG_TIMEOUT);

            assertThatThrownBy(() -> RedisServer.at(single, Keyspace.PREFIX_ALONE, () -> {}))
                    .hasMessage("the server is a node of a cluster: target=" + single
                            + ". Use --cluster, or name a server that stands alone.");
            try (var server = RedisServer.at(cluster, Keyspace.PREFIX_ALONE, () -> {})) {
                for (String key : new String[] {"a", "b", "c"}) {
                    server.control(key).set(Keyspace.PREFIX + key, "x");
                }
                assertThat(server.keys()).isEqualTo(3);
                assertThat(server.values(List.of(Keyspace.PREFIX + "c", Keyspace.PREFIX + "none")))
                        .containsExactly("x", null);
            }
            assertThat(admin.dbSize()).isZero();
        }
    }

    @Test
    void unreachableServerIsNamed() {
        redis.close();

        assertThatThrownBy(() -> use(Keyspace.PREFIX_ALONE))
                .isInstanceOf(LabException.class)
                .hasMessageStartingWith("the server cannot be used: target=127.0.0.1:" + redis.port() + ", cause=")
                .hasMessageEndingWith(". Check address, user, password and certificate.");
    }
}
