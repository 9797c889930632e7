// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.command.CommandSpec;
import io.millrace.client.command.Fusion;
import io.millrace.client.command.Hashes;
import io.millrace.client.command.Strings;
import io.millrace.resp.Reply;
import io.millrace.testkit.Answer;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(NoThreadLeft.class)
class BulkWriterTest {

    private static final Duration TIMEOUT = Duration.ofMinutes(2);
    private static final BulkOptions OPTIONS = new BulkOptions(64, 1 << 20, TIMEOUT);

    /** One call of the listener. The list {@code told} contains all calls in order. */
    private record ListenerCall(long tag, CommandSpec<?> command, Outcome outcome) {}

    private final List<ListenerCall> told = new ArrayList<>();

    private void listen(long tag, CommandSpec<?> command, Outcome outcome) {
        told.add(new ListenerCall(tag, command, outcome));
    }

    @Test
    void listenerReceivesTheTagTheSpecAndTheReplyOfEveryCommand() {
        Handler rest = command -> switch (command.name()) {
            case "SET" -> Answer.reply("+OK\r\n");
            case "GET" -> Answer.reply("$1\r\n" + command.text(1) + "\r\n");
            default -> Answer.reply("-ERR no\r\n");
        };
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(rest));
                RedisClient client = connect(server);
                BulkWriter writer = client.bulkWriter(OPTIONS, this::listen)) {

            writer.begin(Strings.SET).arg("k").arg("v");
            writer.end(7);
            writer.begin(Strings.GET).arg("x");
            writer.end(8);
            writer.begin(Hashes.HSET).arg("h").arg("f").arg(1);
            writer.end(9);
            writer.finish();

            assertThat(told)
                    .containsExactly(
                            new ListenerCall(7, Strings.SET, new Outcome.Ok(Reply.OK)),
                            new ListenerCall(8, Strings.GET, new Outcome.Ok(new Reply.BulkString("x".getBytes(UTF_8)))),
                            new ListenerCall(9, Hashes.HSET, new Outcome.Failed(new Reply.ErrorReply("ERR no"))));
            assertThat(writer.counts()).isEqualTo(new CommandCounts(3, 2, 1, 0, 0, 0, 0));
        }
    }

    @Test
    void commandsInFlightStayWithinTheLimit() {
        CountDownLatch released = new CountDownLatch(1);
        BulkOptions eight = new BulkOptions(8, 1 << 20, Duration.ofSeconds(1), Fusion.NONE);
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(
                        command -> Answer.reply("+OK\r\n").heldUntil(released)));
                RedisClient client = connect(server);
                BulkWriter writer = client.bulkWriter(eight, this::listen)) {

            set(writer, 0, 9);
            long received = setsOf(server);
            released.countDown();
            writer.finish();

            assertThat(received).isEqualTo(8);
            // The first eight commands timed out while the ninth waited. The ninth was refused at its own deadline.
            assertThat(writer.counts()).isEqualTo(new CommandCounts(9, 0, 0, 8, 1, 0, 0));
            assertThat(setsOf(server)).isEqualTo(8);
        }
    }

    @Test
    void bytesInFlightStayWithinTheLimitExceptForASingleLargeCommand() {
        CountDownLatch released = new CountDownLatch(1);
        BulkOptions small = new BulkOptions(64, 1 << 16, Duration.ofSeconds(1));
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(
                        command -> Answer.reply("+OK\r\n").heldUntil(released)));
                RedisClient client = connect(server);
                BulkWriter writer = client.bulkWriter(small, this::listen)) {

            writer.begin(Strings.SET).arg("large").arg(new byte[200_000]);
            writer.end(1);
            writer.begin(Strings.SET).arg("k").arg("v");
            writer.end(2);
            released.countDown();
            writer.finish();

            assertThat(told.stream().map(ListenerCall::outcome))
                    .containsExactly(new Outcome.TimedOut(), new Outcome.Refused());
        }
    }

    @Test
    void timedOutCommandKeepsItsSlotAndItsLateReplyIsDropped() {
        CountDownLatch released = new CountDownLatch(1);
        BulkOptions two = new BulkOptions(2, 1 << 20, Duration.ofSeconds(1));
        Handler rest = command -> command.text(1).equals("slow")
                ? Answer.reply("$4\r\nlate\r\n").heldUntil(released)
                : Answer.reply("$3\r\n" + command.text(1) + "\r\n");
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(rest));
                RedisClient client = connect(server);
                BulkWriter writer = client.bulkWriter(two, this::listen)) {

            get(writer, 1, "slow");
            writer.finish();
            assertThat(told).containsExactly(new ListenerCall(1, Strings.GET, new Outcome.TimedOut()));
            get(writer, 2, "two");
            Thread.currentThread().interrupt();
            get(writer, 3, "ref");
            assertThat(Thread.interrupted()).isTrue();
            released.countDown();
            server.awaitCommands(5, TIMEOUT);
            get(writer, 4, "fou");
            writer.finish();

            assertThat(told.stream().filter(call -> call.tag() == 3).map(ListenerCall::outcome))
                    .as("both slots are taken: by the command that timed out, and by the next command")
                    .containsExactly(new Outcome.Refused());
            assertThat(told).contains(new ListenerCall(4, Strings.GET, ok("fou")));
            assertThat(told).noneMatch(call -> call.outcome().equals(ok("late")));
        }
    }

    @Test
    void commandNeverWrittenToTheSocketIsReportedAsNotExecuted() {
        BulkOptions wide = new BulkOptions(1_024, 256 << 20, TIMEOUT);
        FakeRedis server = FakeRedis.start(Handler.afterHandshake(command -> Answer.reply("+OK\r\n")));
        try (RedisClient client = connect(server);
                BulkWriter writer = client.bulkWriter(wide, this::listen)) {
            server.stopReading();

            byte[] value = new byte[1 << 20];
            for (int i = 0; i < 100; i++) {
                writer.begin(Strings.SET).arg("k" + i).arg(value);
                writer.end(i);
            }
            writer.flush();
            server.close();
            writer.finish();

            List<Boolean> maybe = told.stream()
                    .map(call -> ((Outcome.Lost) call.outcome()).maybeExecuted())
                    .toList();
            assertThat(maybe).hasSize(100).contains(false);
            assertThat(maybe.subList(maybe.indexOf(false), 100)).as("in order").doesNotContain(true);
            assertThat(writer.isOpen()).isFalse();
        }
    }

    @Test
    void commandWrittenToAClosedConnectionIsImmediatelyReportedAsNotExecuted() {
        FakeRedis server = FakeRedis.start(Handler.afterHandshake(command -> Answer.reply("+OK\r\n")));
        try (RedisClient client = connect(server);
                BulkWriter writer = client.bulkWriter(OPTIONS, this::listen)) {
            set(writer, 0, 1);
            writer.finish();
            server.close();
            set(writer, 1, 200);
            writer.finish();
            told.clear();

            set(writer, 1_000, 1);

            assertThat(told).hasSize(1);
            assertThat(((Outcome.Lost) told.getFirst().outcome()).maybeExecuted())
                    .isFalse();
            assertThat(writer.counts().pending()).isZero();
        }
    }

    @Test
    void surplusOrMalformedReplyClosesTheConnection() {
        for (String reply : List.of("+OK\r\n+SURPLUS\r\n", "garbage\r\n", "$-5\r\n")) {
            told.clear();
            try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(command -> Answer.reply(reply)));
                    RedisClient client = connect(server);
                    BulkWriter writer = client.bulkWriter(OPTIONS, this::listen)) {

                set(writer, 0, 1);
                writer.finish();
                set(writer, 1, 64);
                writer.finish();

                assertThat(told.getLast().outcome()).isInstanceOf(Outcome.Lost.class);
                assertThat(writer.isOpen()).isFalse();
                assertThat(writer.counts().pending()).isZero();
            }
        }
    }

    @Test
    void connectionToAHangingServerIsClosedAfterTwiceTheTimeout() {
        BulkOptions brief = new BulkOptions(4, 1 << 20, Duration.ofMillis(100));
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(command -> Answer.end(ConnectionEnd.SILENCE)));
                RedisClient client = connect(server);
                BulkWriter writer = client.bulkWriter(brief, this::listen)) {

            long tag = 0;
            long giveUp = System.nanoTime() + TIMEOUT.toNanos();
            while (writer.isOpen() && System.nanoTime() - giveUp < 0) {
                set(writer, tag++, 1);
                writer.finish();
            }
            writer.close();

            assertThat(writer.isOpen()).isFalse();
            assertThat(told.stream().map(ListenerCall::outcome).toList()).contains(new Outcome.TimedOut());
            assertThat(writer.counts().pending()).isZero();
        }
    }

    @Test
    void onlyTheCommandThatWaitsForAPermitIsRefusedIfItsThreadIsInterrupted() {
        CountDownLatch released = new CountDownLatch(1);
        BulkOptions one = new BulkOptions(1, 1 << 20, TIMEOUT);
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(
                        command -> Answer.reply("+OK\r\n").heldUntil(released)));
                RedisClient client = connect(server);
                BulkWriter writer = client.bulkWriter(one, this::listen)) {
            set(writer, 1, 1);

            Thread.currentThread().interrupt();
            set(writer, 2, 1);
            boolean stillInterrupted = Thread.interrupted();
            released.countDown();
            writer.finish();
            set(writer, 3, 1);
            writer.finish();

            assertThat(stillInterrupted).isTrue();
            assertThat(told)
                    .containsExactly(
                            new ListenerCall(2, Strings.SET, new Outcome.Refused()),
                            new ListenerCall(1, Strings.SET, new Outcome.Ok(Reply.OK)),
                            new ListenerCall(3, Strings.SET, new Outcome.Ok(Reply.OK)));
        }
    }

    @Test
    void singleCommandIsSentWithoutAFlush() {
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(command -> Answer.reply("+OK\r\n")));
                RedisClient client = connect(server);
                BulkWriter writer = client.bulkWriter(OPTIONS, this::listen)) {

            set(writer, 1, 1);

            server.awaitCommands(5, TIMEOUT);
            writer.finish();
            assertThat(told).hasSize(1);
        }
    }

    @Test
    void slowProducerReceivesOutcomesBeforeItFillsABatch() {
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(command -> Answer.reply("+OK\r\n")));
                RedisClient client = connect(server);
                BulkWriter writer = client.bulkWriter(OPTIONS, this::listen)) {
            set(writer, 1, 1);
            long giveUp = System.nanoTime() + TIMEOUT.toNanos();
            while (writer.counts().ok() == 0 && System.nanoTime() - giveUp < 0) {
                Thread.onSpinWait();
            }

            long tag = 2;
            while (told.isEmpty() && System.nanoTime() - giveUp < 0 && tag < 60) {
                LockSupport.parkNanos(6_000_000);
                set(writer, tag++, 1);
            }

            assertThat(told).isNotEmpty();
            writer.finish();
        }
    }

    @Test
    void closeReportsAnOutcomeForEveryPendingCommand() {
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(command -> Answer.end(ConnectionEnd.SILENCE)));
                RedisClient client = connect(server)) {
            BulkWriter writer = client.bulkWriter(OPTIONS, this::listen);
            set(writer, 0, 5);

            writer.close();

            assertThat(told.stream().map(ListenerCall::tag).toList())
                    .isEqualTo(LongStream.range(0, 5).boxed().toList());
            assertThat(told).allMatch(call -> call.outcome() instanceof Outcome.Lost);
            assertThat(writer.counts()).isEqualTo(new CommandCounts(5, 0, 0, 0, 0, 5, 0));
        }
    }

    @Test
    void laterRepliesAreMatchedToTheirCommandsIfTheListenerThrowsAnException() {
        CountDownLatch released = new CountDownLatch(1);
        BulkOptions one = new BulkOptions(1, 1 << 20, TIMEOUT);
        Handler rest =
                command -> Answer.reply("$1\r\n" + command.text(1) + "\r\n").heldUntil(released);
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(rest));
                RedisClient client = connect(server);
                BulkWriter writer = client.bulkWriter(one, (tag, command, outcome) -> {
                    listen(tag, command, outcome);
                    if (tag == 1) {
                        throw new IllegalStateException("thrown by the listener");
                    }
                })) {
            get(writer, 1, "a");
            released.countDown();

            assertThatThrownBy(() -> get(writer, 2, "b")).hasMessage("thrown by the listener");
            get(writer, 3, "c");
            writer.finish();

            assertThat(told)
                    .containsExactly(
                            new ListenerCall(1, Strings.GET, ok("a")), new ListenerCall(3, Strings.GET, ok("c")));
            assertThat(writer.counts()).isEqualTo(new CommandCounts(3, 2, 0, 0, 1, 0, 0));
        }
    }

    @Test
    void exceptionIsThrownIfTheListenerUsesItsOwnBulkWriter() {
        BulkWriter[] writer = new BulkWriter[1];
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(command -> Answer.reply("+OK\r\n")));
                RedisClient client = connect(server)) {
            writer[0] = client.bulkWriter(OPTIONS, (tag, command, outcome) -> writer[0].begin(Strings.SET));
            set(writer[0], 1, 1);

            assertThatThrownBy(writer[0]::finish).isInstanceOf(IllegalStateException.class);

            writer[0].close();
        }
    }

    @Test
    void closeAndAbortDoNotWaitForABlockedWrite() {
        BulkOptions wide = new BulkOptions(1_024, 256 << 20, TIMEOUT);
        for (boolean abort : new boolean[] {true, false}) {
            FakeRedis server = FakeRedis.start(Handler.afterHandshake(command -> Answer.reply("+OK\r\n")));
            try (RedisClient client = connect(server)) {
                BulkWriter writer = client.bulkWriter(wide, this::listen);
                server.stopReading();
                for (int i = 0; i < 64; i++) {
                    writer.begin(Strings.SET).arg("k").arg(new byte[1 << 20]).end(i);
                }
                writer.flush();
                long before = System.nanoTime();

                if (abort) {
                    writer.abort();
                    writer.finish();
                }
                writer.close();

                assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(20));
                assertThat(writer.counts()).isEqualTo(new CommandCounts(64, 0, 0, 0, 0, 64, 0));
            } finally {
                server.close();
            }
        }
    }

    @Test
    void commandWithManySmallArgumentsIsSentCompletely() {
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(command -> Answer.reply(":1\r\n")));
                RedisClient client = connect(server);
                BulkWriter writer = client.bulkWriter(OPTIONS, this::listen)) {
            writer.begin(Hashes.HSET).arg("k");
            for (int i = 0; i < 100_000; i++) {
                writer.arg("field-" + i).arg(i);
            }

            writer.end(1);
            writer.finish();

            assertThat(server.awaitCommands(5, TIMEOUT).getLast().arguments()).hasSize(200_002);
        }
    }

    private static RedisClient connect(FakeRedis server) {
        return RedisClient.connect(ClientOptions.builder(RedisUri.of(server.host(), server.port()))
                .connectTimeout(Duration.ofSeconds(60))
                .build());
    }

    private static void set(BulkWriter writer, long firstTag, int count) {
        for (int i = 0; i < count; i++) {
            writer.begin(Strings.SET).arg("k").arg("v");
            writer.end(firstTag + i);
        }
    }

    private static void get(BulkWriter writer, long tag, String key) {
        writer.begin(Strings.GET).arg(key);
        writer.end(tag);
    }

    private static Outcome ok(String value) {
        return new Outcome.Ok(new Reply.BulkString(value.getBytes(UTF_8)));
    }

    private static long setsOf(FakeRedis server) {
        return server.commands().stream()
                .filter(command -> command.name().equals("SET"))
                .count();
    }
}
