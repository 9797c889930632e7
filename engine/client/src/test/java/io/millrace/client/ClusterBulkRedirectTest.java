// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.resp.Reply;
import io.millrace.testkit.Answer;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.ReceivedCommand;
import java.time.Duration;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests of a bulk writer over a cluster whose only node gives unusual answers. */
@ExtendWith(NoThreadLeft.class)
class ClusterBulkRedirectTest {

    private final BulkRecorder recorder = new BulkRecorder();
    private final int[] port = new int[1];

    /** A node with the slots from 0 to {@code lastSlot}. */
    private FakeRedis start(int lastSlot, Function<ReceivedCommand, Answer> answers) {
        FakeRedis node = FakeRedis.start(Handler.afterHandshake(
                Handler.HELLO.replace("%3", "%4") + "$4\r\nmode\r\n$7\r\ncluster\r\n",
                command -> command.name().equals("CLUSTER")
                        ? Answer.reply(
                                "*1\r\n*3\r\n:0\r\n:" + lastSlot + "\r\n*2\r\n$9\r\n127.0.0.1\r\n:" + port[0] + "\r\n")
                        : answers.apply(command)));
        port[0] = node.port();
        return node;
    }

    private static RedisClient connect(FakeRedis node) {
        return RedisClient.connect(
                WatchedClients.options(RedisUri.parse("redis-cluster://" + node.host() + ":" + node.port()))
                        .build());
    }

    @Test
    void redirectsInACircleEnd() {
        int slot = KeySlot.of("circle");
        try (FakeRedis node = start(
                        KeySlot.COUNT - 1,
                        command -> Answer.reply(
                                command.line().contains("circle")
                                        ? "-MOVED " + slot + " 127.0.0.1:" + port[0] + "\r\n"
                                        : "+OK\r\n"));
                RedisClient client = connect(node);
                BulkWriter writer = client.bulkWriter(BulkOptions.DEFAULT, recorder)) {
            writer.begin(Strings.SET).arg("circle").arg("v").end(0);
            writer.begin(Strings.SET).arg("other").arg("v").end(1);
            writer.finish();

            assertThat(recorder.outcomes.get(0L))
                    .isInstanceOfSatisfying(
                            Outcome.Failed.class,
                            failed -> assertThat(failed.error().code()).isEqualTo("MOVED"));
            assertThat(recorder.outcomes.get(1L)).isEqualTo(new Outcome.Ok(Reply.OK));
            assertThat(writer.isOpen()).isTrue();
            assertThat(writer.counts()).isEqualTo(new CommandCounts(2, 1, 1, 0, 0, 0, 0));
            assertThat(client.counts()).isEqualTo(writer.counts());
            assertThat(node.commands().stream().filter(command -> command.line().contains("circle")))
                    .hasSize(17);
        }
    }

    @Test
    void commandWhoseSlotHasNoNodeWaitsUntilItsDeadline() {
        BulkOptions options = new BulkOptions(16, 1 << 20, Duration.ofMillis(300));
        try (FakeRedis node = start(KeySlot.COUNT / 2, command -> Answer.reply("+OK\r\n"));
                RedisClient client = connect(node);
                BulkWriter writer = client.bulkWriter(options, recorder)) {
            String unowned = keyFrom(KeySlot.COUNT / 2 + 1);
            long start = System.nanoTime();
            writer.begin(Strings.SET).arg(unowned).arg("v").end(0);
            writer.begin(Strings.SET).arg(keyUpTo(KeySlot.COUNT / 2)).arg("v").end(1);
            writer.begin(Server.PING).end(2);
            writer.finish();

            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(options.timeout());
            assertThat(recorder.outcomes.get(0L))
                    .isEqualTo(new Outcome.Lost(false, "slot " + KeySlot.of(unowned) + " has no usable node"));
            assertThat(recorder.outcomes.get(1L)).isEqualTo(new Outcome.Ok(Reply.OK));
            assertThat(recorder.outcomes.get(2L)).isEqualTo(new Outcome.Ok(Reply.OK));
            assertThat(writer.isOpen()).isTrue();
            assertThat(client.counts()).isEqualTo(writer.counts());
        }
    }

    @Test
    void commandThatFindsNoRoomInAFenceWaitsUntilTheEarlierOnesHaveEnded() {
        BulkOptions options = new BulkOptions(4, 1 << 20, Duration.ofMillis(200));
        try (FakeRedis node = start(KeySlot.COUNT / 2, command -> Answer.reply("+OK\r\n"));
                RedisClient client = connect(node);
                BulkWriter writer = client.bulkWriter(options, recorder)) {
            String unowned = keyFrom(KeySlot.COUNT / 2 + 1);
            long start = System.nanoTime();
            for (int i = 0; i < 5; i++) {
                writer.begin(Strings.SET).arg(unowned).arg("v").end(i);
            }
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(options.timeout());
            writer.finish();

            assertThat(recorder.count(Outcome.Lost.class)).isEqualTo(5);
            assertThat(writer.counts()).isEqualTo(new CommandCounts(5, 0, 0, 0, 0, 5, 0));
        }
    }

    @Test
    void commandThatFindsNoRoomInAFenceIsRefusedIfItsThreadIsInterrupted() {
        BulkOptions options = new BulkOptions(4, 1 << 20, WatchedClients.TIMEOUT);
        try (FakeRedis node = start(KeySlot.COUNT / 2, command -> Answer.reply("+OK\r\n"));
                RedisClient client = connect(node);
                BulkWriter writer = client.bulkWriter(options, recorder)) {
            String unowned = keyFrom(KeySlot.COUNT / 2 + 1);
            for (int i = 0; i < 4; i++) {
                writer.begin(Strings.SET).arg(unowned).arg("v").end(i);
            }
            assertThat(recorder.outcomes).isEmpty();

            Thread.currentThread().interrupt();
            writer.begin(Strings.SET).arg(unowned).arg("v").end(4);

            assertThat(Thread.interrupted()).isTrue();
            assertThat(recorder.outcomes).containsOnly(Map.entry(4L, new Outcome.Refused()));
            writer.close();
            assertThat(recorder.count(Outcome.Lost.class)).isEqualTo(4);
            assertThat(writer.counts()).isEqualTo(new CommandCounts(5, 0, 0, 0, 1, 4, 0));
        }
    }

    @Test
    void answerOfAClusterThatIsDownIsAnOutcome() {
        try (FakeRedis node =
                        start(KeySlot.COUNT - 1, command -> Answer.reply("-CLUSTERDOWN The cluster is down\r\n"));
                RedisClient client = connect(node);
                BulkWriter writer = client.bulkWriter(BulkOptions.DEFAULT, recorder)) {
            writer.begin(Strings.SET).arg("k").arg("v").end(0);
            writer.finish();

            assertThat(recorder.outcomes.get(0L))
                    .isEqualTo(new Outcome.Failed(new Reply.ErrorReply("CLUSTERDOWN The cluster is down")));
            assertThat(writer.isOpen()).isTrue();
        }
    }

    private static String keyFrom(int slot) {
        int number = 0;
        while (KeySlot.of("k" + number) < slot) {
            number++;
        }
        return "k" + number;
    }

    private static String keyUpTo(int slot) {
        int number = 0;
        while (KeySlot.of("k" + number) > slot) {
            number++;
        }
        return "k" + number;
    }
}
