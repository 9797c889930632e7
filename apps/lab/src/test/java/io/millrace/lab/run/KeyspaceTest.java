// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.embedded.EmbeddedRedis;
import io.millrace.lab.TestServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.Jedis;

class KeyspaceTest {

    private static final int MANY = 23_456; // several replies of a scan

    private static final EmbeddedRedis SERVER = EmbeddedRedis.start();
    private static final Jedis CONTROL = TestServer.connect(SERVER);

    @AfterAll
    static void stop() {
        CONTROL.close();
        SERVER.close();
    }

    @BeforeEach
    void empty() {
        CONTROL.flushAll();
    }

    private static void fill(String prefix, int count) {
        try (var pipeline = CONTROL.pipelined()) {
            IntStream.range(0, count).forEach(n -> pipeline.set(prefix + n, "x"));
            pipeline.sync();
        }
    }

    /** Keys that only look like the lab's to a pattern that is not exact. */
    private static void fillForeign() {
        fill("somebody's:", 5_000);
        fill("millrace-la", 1);
        fill("millrace-labX", 1);
        fill("xmillrace-lab:", 1);
        fill("Millrace-lab:", 1);
    }

    @ParameterizedTest
    @EnumSource(names = {"PREFIX_ALONE", "PREFIX_BESIDE_OTHERS"})
    void thePrefixAloneIsCountedAndTakenAway(Keyspace keyspace) {
        fillForeign();
        fill(Keyspace.PREFIX, MANY);

        long before = keyspace.count(CONTROL);
        keyspace.reset(CONTROL);

        assertThat(before).isEqualTo(MANY);
        assertThat(keyspace.count(CONTROL)).isZero();
        assertThat(CONTROL.dbSize()).isEqualTo(5_004);
    }

    @Test
    void whatRedissonKeepsBesideAMapOfTheLabIsTheLabs() {
        CONTROL.set("redisson__timeout__set:" + Keyspace.PREFIX + "{cache}", "x");
        CONTROL.set("redisson__timeout__set:{somebody's}", "x");
        CONTROL.set("redisson__timeout__set:x" + Keyspace.PREFIX + "{cache}", "x");
        CONTROL.set("redisson__timeout__set:tenant:" + Keyspace.PREFIX + "x", "x");
        CONTROL.set("redisson__execute_task_once_latch:" + Keyspace.PREFIX + "{cache}", "x");

        Keyspace.PREFIX_BESIDE_OTHERS.reset(CONTROL);

        assertThat(CONTROL.keys("*"))
                .containsExactlyInAnyOrder(
                        "redisson__timeout__set:{somebody's}",
                        "redisson__timeout__set:x" + Keyspace.PREFIX + "{cache}",
                        "redisson__timeout__set:tenant:" + Keyspace.PREFIX + "x");
    }

    @ParameterizedTest
    @EnumSource(names = {"PREFIX_ALONE", "PREFIX_BESIDE_OTHERS"})
    void nothingIsLeftAtTheEnd(Keyspace keyspace) {
        fill(Keyspace.PREFIX, MANY);

        keyspace.leave(CONTROL);

        assertThat(CONTROL.dbSize()).isZero();
    }

    @Test
    void aDatabaseWithOneForeignKeyAmongManyIsRefused() {
        fill(Keyspace.PREFIX, MANY);
        CONTROL.set("somebody's", "x");

        assertThatThrownBy(() -> Keyspace.PREFIX_ALONE.claim(CONTROL, 0))
                .isInstanceOf(LabException.class)
                .hasMessage("the database holds keys that are not the lab's: database=0, keys=1."
                        + " Name an empty one with --database, or say --beside-other-keys.");
        assertThat(CONTROL.dbSize()).isEqualTo(1);
    }

    @Test
    void besideOthersAClaimTakesAwayWhatAKilledLabLeft() {
        fillForeign();
        fill(Keyspace.PREFIX, 10);

        Keyspace.PREFIX_BESIDE_OTHERS.claim(CONTROL, 0);

        assertThat(CONTROL.dbSize()).isEqualTo(5_004);
    }

    @Test
    void aServerOfTheLabsOwnIsEmptiedAltogether() {
        fillForeign();
        CONTROL.select(1);
        CONTROL.set("another database", "x");

        Keyspace.WHOLE.reset(CONTROL);

        assertThat(CONTROL.dbSize()).isZero();
        CONTROL.select(0);
        assertThat(Keyspace.WHOLE.count(CONTROL)).isZero();
    }

    /** Where a client dies, the server goes on with what it has received. */
    @Test
    void whatTheServerStillHasToReadFromAClientThatIsGoneIsTakenAwayToo() throws Exception {
        CONTROL.configResetStat();
        SERVER.pause();
        fillSocketAndLeave();

        try (var later = Executors.newSingleThreadScheduledExecutor()) {
            var resumed = later.schedule(SERVER::resume, 100, TimeUnit.MILLISECONDS);
            Keyspace.PREFIX_BESIDE_OTHERS.settle(CONTROL);
            resumed.get();
        }

        assertThat(RedisServer.CommandStatistics.parse(setStatistics()).calls()).isGreaterThan(10_000);
        assertThat(CONTROL.dbSize()).isZero();
    }

    /** Sends as much as fits between the two. A reply would reset the connection, so none is asked for. */
    private static void fillSocketAndLeave() throws IOException {
        try (var socket = SocketChannel.open(new InetSocketAddress(SERVER.host(), SERVER.port()))) {
            socket.configureBlocking(false);
            var commands = IntStream.range(0, 500_000)
                    .mapToObj(n -> "SET " + Keyspace.PREFIX + n + " x\r\n")
                    .collect(Collectors.joining("", "CLIENT REPLY OFF\r\n", ""));
            var bytes = ByteBuffer.wrap(commands.getBytes(StandardCharsets.US_ASCII));
            while (socket.write(bytes) > 0) {
                // as long as there is room
            }
        }
    }

    private static String setStatistics() {
        return CONTROL.info("commandstats")
                .lines()
                .filter(line -> line.startsWith("cmdstat_set:"))
                .map(line -> line.substring("cmdstat_set:".length()))
                .findFirst()
                .orElse("");
    }
}
