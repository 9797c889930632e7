// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static io.millrace.client.WatchedClients.SHORT_LIMIT;
import static io.millrace.client.WatchedClients.uri;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.client.FusionOff.OffReason;
import io.millrace.client.command.Fusion;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ConnectException;
import io.millrace.testkit.Answer;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.ReceivedCommand;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the commands by which a new connection learns which fused commands the user may run: the number of round trips,
 * and the decision for each reply.
 */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class FusionPermissionTest {

    private static final Set<Fusion> ALL = EnumSet.allOf(Fusion.class);

    /** The names of the test commands for all kinds of fusion. */
    private static final String[] TESTS = {
        "MSET", "MSETEX", "MGET", "HMGET", "BITFIELD", "SMISMEMBER", "ZMSCORE", "DEL", "UNLINK", "EVALSHA"
    };

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    @TempDir
    Path directory;

    /** Returns a handler that replies like a server that knows the fused commands of all kinds. */
    private static Handler handler() {
        return FusionReplies.handler("redis", "8.4.0");
    }

    /** Returns a handler that replies {@code reply} to each permission test. */
    private static Handler testedBy(String reply) {
        return handler().withPermissionTests(command -> Answer.reply(reply + "\r\n"));
    }

    private static void setTwo(RedisClient client) {
        Pipeline pipeline = client.pipeline();
        pipeline.add(Strings.set("a", "1"));
        pipeline.add(Strings.set("b", "2"));
        assertThat(pipeline.run()).allMatch(result -> result.outcome() instanceof Outcome.Ok);
    }

    private static boolean fusesSets(RedisClient client) {
        long before = client.stats().fusion().commands();
        setTwo(client);
        return client.stats().fusion().commands() == before + 2;
    }

    @Test
    void permissionTestTakesOneRoundTrip() {
        CountDownLatch lastReceived = new CountDownLatch(1);
        List<String> received = new CopyOnWriteArrayList<>();
        Handler handler = handler().withPermissionTests(command -> {
            received.add(command.name());
            if (command.name().equals(TESTS[TESTS.length - 1])) {
                lastReceived.countDown();
            }
            return Answer.reply("+QUEUED\r\n").heldUntil(lastReceived);
        });
        try (FakeRedis server = FakeRedis.start(handler);
                RedisClient client = clients.connect(
                        uri(server), options -> options.fusion(ALL).connectTimeout(SHORT_LIMIT))) {
            assertThat(client.isOpen()).isTrue();
            assertThat(received).containsExactly(TESTS);
        }
    }

    @Test
    void nothingIsTestedIfNoKindOfFusionNeedsAPermission() {
        List<ReceivedCommand> received = new CopyOnWriteArrayList<>();
        Handler handler = handler().withPermissionTests(command -> {
            received.add(command);
            return Answer.reply("+OK\r\n");
        });
        for (Set<Fusion> kinds : List.of(Fusion.NONE, Set.of(Fusion.LPUSH, Fusion.HSET, Fusion.APPEND))) {
            try (FakeRedis server = FakeRedis.start(handler);
                    RedisClient client = clients.connect(uri(server), options -> options.fusion(kinds))) {
                assertThat(client.stats().fusionOff()).isEmpty();
            }
        }
        assertThat(received).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-LOADING Redis is loading the dataset in memory",
                "-OOM command not allowed when used memory > 'maxmemory'.",
                "-MISCONF Redis is configured to save RDB snapshots",
                "-NOREPLICAS Not enough good replicas to write.",
                "-READONLY You can't write against a read only replica.",
                "-MASTERDOWN Link with MASTER is down",
                "-BUSY Redis is busy running a script.",
                "-MOVED 1 127.0.0.1:7001",
                "-CLUSTERDOWN The cluster is down",
                "+QUEUED"
            })
    void errorAboutTheStateOfTheServerDoesNotTurnFusionOff(String reply) {
        try (FakeRedis server = FakeRedis.start(testedBy(reply));
                RedisClient client = clients.connect(uri(server))) {
            assertThat(client.stats().fusionOff()).isEmpty();
            assertThat(fusesSets(client)).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "NOPERM this user has no permissions to run the 'mset' command",
                "NOPERM this user has no permissions to access one of the keys used as arguments"
            })
    void missingPermissionTurnsFusionOffAndIsInTheStats(String error) {
        try (FakeRedis server = FakeRedis.start(testedBy("-" + error));
                RedisClient client = clients.connect(uri(server))) {
            assertThat(fusesSets(client)).isFalse();
            assertThat(client.stats().fusionOff()).contains(new FusionOff(Fusion.SET, OffReason.NOT_PERMITTED, error));
        }
    }

    @Test
    void unknownCommandTurnsFusionOffAndIsInTheStatsWithoutItsArguments() {
        String error = "ERR unknown command 'HMGET', with args beginning with: 'marked'";
        try (FakeRedis server = FakeRedis.start(testedBy("-" + error));
                RedisClient client = clients.connect(uri(server))) {
            assertThat(fusesSets(client)).isFalse();
            assertThat(client.stats().fusionOff())
                    .contains(new FusionOff(Fusion.HGET, OffReason.UNKNOWN_COMMAND, "ERR unknown command 'HMGET'"));
        }
    }

    @Test
    void unexpectedErrorIsTestedAgainByTheNextConnection() {
        String error = "ERR try again later";
        Handler handler = Handler.perConnection(testedBy("-" + error), handler());
        try (FakeRedis server = FakeRedis.start(handler);
                RedisClient client = clients.connect(uri(server))) {
            assertThat(fusesSets(client)).isFalse();
            assertThat(client.stats().fusionOff()).contains(new FusionOff(Fusion.SET, OffReason.UNDECIDED, error));

            server.send(0, Answer.end(ConnectionEnd.CLOSE));
            Eventually.await("the reconnection", () -> client.stats().reconnections() == 1 && client.isOpen());

            assertThat(fusesSets(client)).isTrue();
            assertThat(client.stats().fusionOff()).isEmpty();
        }
    }

    @Test
    void kindThatTheServerRefusesLaterIsInTheStats() {
        String error = "NOPERM this user has no permissions to run the 'mset' command";
        String hello = Handler.HELLO.replace("7.0.0", "8.4.0");
        Handler handler = Handler.afterHandshake(
                hello,
                command ->
                        command.name().equals("MSET") ? Answer.reply("-" + error + "\r\n") : FusionReplies.to(command));
        try (FakeRedis server = FakeRedis.start(handler);
                RedisClient client = clients.connect(uri(server))) {
            Pipeline pipeline = client.pipeline();
            pipeline.add(Strings.set("a", "1"));
            pipeline.add(Strings.set("b", "2"));
            pipeline.run();

            assertThat(client.stats().fusionOff()).containsExactly(new FusionOff(Fusion.SET, OffReason.REFUSED, error));
        }
    }

    @Test
    void kindsThatTheServerDoesNotSupportAreInTheStats() {
        String cluster =
                Handler.HELLO.replace("%3", "%4").replace("7.0.0", "6.0.9") + "$4\r\nmode\r\n$7\r\ncluster\r\n";
        try (FakeRedis node = FakeRedis.start(Handler.afterHandshake(cluster, FusionReplies::to));
                FakeRedis other = FakeRedis.start(FusionReplies.handler("dragonfly", "7.4.0"));
                RedisClient ofNode = clients.connect(uri(node));
                RedisClient ofOther = clients.connect(uri(other));
                RedisClient overResp2 = clients.connect(uri(node), options -> options.protocol(Protocol.RESP2))) {
            assertThat(ofNode.stats().fusionOff())
                    .contains(new FusionOff(
                            Fusion.ZSCORE, OffReason.UNKNOWN_COMMAND, "the version of the server is too old"));
            assertThat(ofOther.stats().fusionOff())
                    .hasSameSizeAs(Fusion.ALL_EXACT)
                    .contains(new FusionOff(
                            Fusion.SET, OffReason.UNKNOWN_SERVER, "the server identifies itself as dragonfly, 7.4.0"));
            assertThat(overResp2.stats().fusionOff())
                    .hasSameSizeAs(Fusion.ALL_EXACT)
                    .contains(new FusionOff(Fusion.SET, OffReason.UNKNOWN_SERVER, "the connection uses RESP2"));
        }
    }

    @Test
    void bulkWriterTestsItsOwnKinds() {
        try (FakeRedis server = FakeRedis.start(testedBy("-NOPERM no permissions to access a key"));
                RedisClient client = clients.connect(uri(server), options -> options.fusion(Fusion.NONE));
                BulkWriter writer = client.bulkWriter(
                        BulkOptions.DEFAULT.withFusion(Set.of(Fusion.DEL, Fusion.HGET)), (tag, spec, outcome) -> {})) {
            assertThat(client.stats().fusionOff())
                    .containsExactly(new FusionOff(
                            Fusion.DEL, OffReason.NOT_PERMITTED, "NOPERM no permissions to access a key"));
            assertThat(writer.fusion()).isEqualTo(FusionCounts.NONE);
        }
    }

    @Test
    void connectFailsWithAHintIfTheServerClosesTheConnectionDuringTheTest() {
        Handler closing = handler().withPermissionTests(command -> Answer.end(ConnectionEnd.CLOSE));
        try (FakeRedis server = FakeRedis.start(closing)) {
            ConnectException failure = catchThrowableOfType(ConnectException.class, () -> clients.connect(uri(server)));

            assertThat(failure)
                    .hasMessageContaining("the server closed the connection during the permission test for fusion. "
                            + "If a proxy does not support these commands, turn fusion off");
        }
    }

    @Test
    void flightRecorderEventContainsTheKindAndTheReason() throws Exception {
        Path file = directory.resolve("fusion.jfr");
        try (FakeRedis server = FakeRedis.start(testedBy("-ERR try again later"));
                Recording recording = new Recording()) {
            recording.enable("io.millrace.FusionOff");
            recording.start();
            clients.connect(uri(server), options -> options.fusion(Set.of(Fusion.SET, Fusion.LPUSH)))
                    .close();

            recording.dump(file);
        }
        List<RecordedEvent> events = RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().equals("io.millrace.FusionOff"))
                .toList();
        assertThat(events).singleElement().satisfies(event -> {
            assertThat(event.getString("connection")).isEqualTo("1");
            assertThat(event.getString("kind")).isEqualTo("SET");
            assertThat(event.getString("reason")).isEqualTo("UNDECIDED");
            assertThat(event.getString("message")).isEqualTo("ERR try again later");
        });
    }
}
