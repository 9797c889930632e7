// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static io.millrace.client.WatchedClients.TIMEOUT;
import static io.millrace.client.WatchedClients.uri;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.command.Bitmaps;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.command.Lists;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Strings;
import io.millrace.resp.Reply;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Tests fused batches of a bulk writer. The timekeeper thread closes an open batch at its next tick. A test that needs
 * a batch of a certain size repeats its commands until such a batch is sent.
 */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class FusionBulkTest {

    private static final int TRIES = 1_000;

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    private final List<Long> tags = new ArrayList<>();
    private final List<Outcome> outcomes = new ArrayList<>();

    private void listen(long tag, CommandSpec<?> command, Outcome outcome) {
        tags.add(tag);
        outcomes.add(outcome);
    }

    private static void set(BulkWriter writer, long from, int count) {
        for (long tag = from; tag < from + count; tag++) {
            writer.begin(Strings.SET).arg("k" + tag).arg("v").end(tag);
        }
    }

    private static List<Long> numbers(int count) {
        return LongStream.range(0, count).boxed().toList();
    }

    @Test
    void openBatchIsSentSoonWithoutAFlush() {
        try (FakeRedis server = FakeRedis.start(FusionReplies.handler());
                RedisClient client = clients.connect(uri(server));
                BulkWriter writer = client.bulkWriter(BulkOptions.DEFAULT, this::listen)) {
            set(writer, 0, 3);

            Eventually.await(
                    "all commands are received",
                    () -> String.join(" ", FusionReplies.lines(server))
                            .matches("M?SET k0 v (M?SET )?k1 v (SET )?k2 v"));
            writer.finish();
            assertThat(tags).containsExactly(0L, 1L, 2L);
        }
    }

    @Test
    void flushClosesTheOpenBatch() {
        try (FakeRedis server = FakeRedis.start(FusionReplies.handler());
                RedisClient client = clients.connect(uri(server));
                BulkWriter writer = client.bulkWriter(BulkOptions.DEFAULT, this::listen)) {
            set(writer, 0, 1);
            writer.flush();
            set(writer, 1, 1);
            writer.finish();
            set(writer, 2, 1);
            writer.finish();

            assertThat(FusionReplies.lines(server)).containsExactly("SET k0 v", "SET k1 v", "SET k2 v");
            assertThat(writer.fusion()).isEqualTo(FusionCounts.NONE);
        }
    }

    @Test
    void commandThatIsBegunButNotEndedIsNeitherSentNorReported() {
        try (FakeRedis server = FakeRedis.start(FusionReplies.handler());
                RedisClient client = clients.connect(uri(server));
                BulkWriter writer = client.bulkWriter(BulkOptions.DEFAULT, this::listen)) {
            for (int i = 0; i < 100; i++) {
                set(writer, i, 1);
                writer.begin(i % 3 == 0 ? Strings.SET : Strings.GET).arg("abandoned");
                if (i % 3 == 2) {
                    writer.arg(new byte[10_000]);
                }
            }
            writer.finish();

            assertThat(tags).isEqualTo(numbers(100));
            assertThat(outcomes).containsOnly(new Outcome.Ok(Reply.OK));
            assertThat(String.join(" ", FusionReplies.lines(server))).doesNotContain("GET", "abandoned");
        }
    }

    @Test
    void commandsWhoseArgumentsAreNumbersTextsOrBytesAreFusedIntoOneBatch() {
        try (FakeRedis server = FakeRedis.start(FusionReplies.handler());
                RedisClient client = clients.connect(uri(server));
                BulkWriter writer = client.bulkWriter(BulkOptions.DEFAULT, this::listen)) {
            for (int i = 0; i < TRIES && writer.fusion().commands() < 3L * (i + 1); i++) {
                writer.begin(Bitmaps.SETBIT).arg("b").arg(7).arg(1).end(0);
                writer.begin(Bitmaps.SETBIT).arg("b").arg("8").arg("0").end(1);
                writer.begin(Bitmaps.SETBIT)
                        .arg(new byte[] {'b'})
                        .arg(9L)
                        .arg("1")
                        .end(2);
                writer.finish();
                if (writer.fusion().fusedBatches() == 1 && writer.fusion().commands() == 3) {
                    break;
                }
            }

            assertThat(FusionReplies.lines(server)).contains("BITFIELD b SET u3 7 5");
        }
    }

    @Test
    void listenerReceivesTheSpecOfEachCommand() {
        List<CommandSpec<?>> specs =
                List.of(Strings.SET, Strings.SET.idempotently(), CommandSpec.of("set", Replies::raw));
        List<CommandSpec<?>> expected = IntStream.range(0, 3_000)
                .<CommandSpec<?>>mapToObj(i -> specs.get(i % 100 < 50 ? i / 10 % 3 : i % 3))
                .toList();
        List<CommandSpec<?>> specsSeen = new ArrayList<>();
        try (FakeRedis server = FakeRedis.start(FusionReplies.handler());
                RedisClient client = clients.connect(uri(server));
                BulkWriter writer =
                        client.bulkWriter(BulkOptions.DEFAULT, (tag, command, outcome) -> specsSeen.add(command))) {
            for (CommandSpec<?> spec : expected) {
                writer.begin(spec).arg("k").arg("v").end(0);
            }
            writer.finish();

            assertThat(specsSeen).isEqualTo(expected);
            assertThat(writer.fusion().commands()).isPositive();
        }
    }

    @Test
    void fusedAndSingleCommandsInFlightStayWithinTheLimit() {
        try (FakeRedis server = FakeRedis.start(FusionReplies.handler());
                RedisClient client = clients.connect(uri(server));
                BulkWriter writer = client.bulkWriter(new BulkOptions(5, 1 << 16, TIMEOUT), this::listen)) {
            set(writer, 0, 1_000);
            writer.finish();

            assertThat(tags).isEqualTo(numbers(1_000));
            assertThat(writer.traffic().peakInFlight()).isBetween(2L, 5L);
            assertThat(FusionReplies.lines(server))
                    .allMatch(line -> line.split(" ").length <= 1 + 2 * 5)
                    .anyMatch(line -> line.startsWith("MSET"));
        }
    }

    @Test
    void commandsOfABatchTimeOutTogetherAndKeepTheirPermitsUntilTheReply() {
        CountDownLatch released = new CountDownLatch(1);
        Handler handler = Handler.afterHandshake(command -> command.line().contains("k0 ")
                ? FusionReplies.to(command).heldUntil(released)
                : FusionReplies.to(command));
        try (FakeRedis server = FakeRedis.start(handler);
                RedisClient client = clients.connect(uri(server));
                BulkWriter writer =
                        client.bulkWriter(new BulkOptions(4, 1 << 16, Duration.ofSeconds(3)), this::listen)) {
            set(writer, 0, 3);
            writer.finish();
            List<Outcome> late = List.copyOf(outcomes);
            set(writer, 3, 1);
            released.countDown();
            writer.finish();
            set(writer, 4, 4);
            writer.finish();

            assertThat(late).containsExactly(new Outcome.TimedOut(), new Outcome.TimedOut(), new Outcome.TimedOut());
            assertThat(tags).isEqualTo(numbers(8));
            assertThat(outcomes.subList(4, 8)).containsOnly(new Outcome.Ok(Reply.OK));
            assertThat(writer.counts().timedOut()).isBetween(3L, 4L);
            assertThat(writer.counts().pending()).isZero();
        }
    }

    @Test
    void listenerThatThrowsReceivesTheRemainingOutcomesOfTheBatch() {
        BulkListener throwing = (tag, command, outcome) -> {
            listen(tag, command, outcome);
            if (tag % 3 == 1) {
                throw new IllegalStateException("at " + tag);
            }
        };
        try (FakeRedis server = FakeRedis.start(FusionReplies.handler());
                RedisClient client = clients.connect(uri(server));
                BulkWriter writer = client.bulkWriter(BulkOptions.DEFAULT, throwing)) {
            set(writer, 0, 9);

            for (int at : List.of(1, 4, 7)) {
                assertThatThrownBy(writer::finish).hasMessage("at " + at);
                assertThat(tags).isEqualTo(numbers(at + 1));
            }
            writer.finish();

            assertThat(tags).isEqualTo(numbers(9));
            assertThat(writer.counts()).isEqualTo(new CommandCounts(9, 9, 0, 0, 0, 0, 0));
        }
    }

    @Test
    void closeReportsAllCommandsOfAnOpenBatch() {
        for (int open = 1; open < 70; open++) {
            tags.clear();
            outcomes.clear();
            try (FakeRedis server = FakeRedis.start(FusionReplies.handler());
                    RedisClient client = clients.connect(uri(server));
                    BulkWriter writer = client.bulkWriter(BulkOptions.DEFAULT, this::listen)) {
                set(writer, 0, open);
                writer.close();

                assertThat(tags).isEqualTo(numbers(open));
                assertThat(writer.counts().pending()).isZero();
                assertThat(client.counts().pending()).isZero();
            }
        }
    }

    @Test
    void commandsWrittenAfterAnAbortAreReportedAsNotExecuted() {
        try (FakeRedis server = FakeRedis.start(FusionReplies.handler());
                RedisClient client = clients.connect(uri(server));
                BulkWriter writer = client.bulkWriter(BulkOptions.DEFAULT, this::listen)) {
            set(writer, 0, 1);
            writer.finish();
            writer.abort();
            set(writer, 1, 3);
            writer.finish();

            assertThat(tags).isEqualTo(numbers(4));
            assertThat(outcomes.subList(1, 4).stream().map(CommandFate::of)).containsOnly(CommandFate.LOST_UNSENT);
            assertThat(writer.counts()).isEqualTo(new CommandCounts(4, 1, 0, 0, 0, 3, 0));
        }
    }

    @Test
    void abortFromAnotherThreadReportsEveryCommandOnce() throws Exception {
        for (int round = 0; round < 50; round++) {
            tags.clear();
            outcomes.clear();
            try (FakeRedis server = FakeRedis.start(FusionReplies.handler());
                    RedisClient client = clients.connect(uri(server));
                    BulkWriter writer = client.bulkWriter(BulkOptions.DEFAULT, this::listen)) {
                int limit = 100 * round;
                Thread aborter = Thread.ofPlatform().start(() -> {
                    Eventually.await(
                            "the commands before the abort are submitted",
                            () -> writer.counts().submitted() >= limit);
                    writer.abort();
                });
                set(writer, 0, 5_000);
                writer.finish();
                aborter.join();

                assertThat(tags).isEqualTo(numbers(5_000));
                assertThat(writer.counts().pending()).isZero();
            }
        }
    }

    @Test
    void everyTagIsReportedOnceAndInOrder() {
        int count = 200_000;
        try (FakeRedis server = FakeRedis.start(FusionReplies.handler());
                RedisClient client = clients.connect(uri(server));
                BulkWriter writer = client.bulkWriter(BulkOptions.DEFAULT, this::listen)) {
            for (int i = 0; i < count; i++) {
                switch (i % 1_000 / 10 % 4) {
                    case 0 -> writer.begin(Strings.SET).arg(i).arg(i);
                    case 1 -> writer.begin(Lists.RPUSH).arg("l").arg(i);
                    case 2 -> writer.begin(Bitmaps.SETBIT).arg("b").arg(i % 10).arg(1);
                    default -> writer.begin(Strings.GET).arg(i);
                }
                writer.end(i);
            }
            writer.finish();

            assertThat(tags).isEqualTo(numbers(count));
            for (int i = 0; i < count; i++) {
                Reply expected = switch (i % 1_000 / 10 % 4) {
                    case 0 -> Reply.OK;
                    case 1 ->
                        outcomes.get(i) instanceof Outcome.Ok(Reply.IntegerReply length)
                                ? length
                                : new Reply.ErrorReply("no length");
                    case 2 -> new Reply.IntegerReply(0);
                    default -> Reply.Null.NULL;
                };
                assertThat(outcomes.get(i)).isEqualTo(new Outcome.Ok(expected));
            }
            assertThat(writer.counts()).isEqualTo(new CommandCounts(count, count, 0, 0, 0, 0, 0));
            FusionCounts fusion = writer.fusion();
            assertThat(FusionReplies.lines(server))
                    .as("every command is fused or sent singly")
                    .hasSize((int) (count - fusion.commands() + fusion.fusedBatches()));
            // Three quarters of the commands can be fused. The timekeeper may split some batches, so the number varies.
            assertThat(fusion.commands()).isBetween(count / 2L, 3L * count / 4);
            assertThat(server.commands().size()).isLessThan(count / 2);
        }
    }
}
