// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.client.ClientOptions;
import io.millrace.client.CommandCounts;
import io.millrace.client.DedicatedConnection;
import io.millrace.client.Outcome;
import io.millrace.client.Overflow;
import io.millrace.client.Pipeline;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.Result;
import io.millrace.client.Transaction;
import io.millrace.client.command.Lists;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ConnectionLostException;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.client.exception.RefusedException;
import io.millrace.client.exception.TimedOutException;
import io.millrace.client.exception.UnexpectedReplyException;
import io.millrace.testkit.Answer;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests the statements of docs/delivery.md on outcomes, stats, interrupts and closing. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class DeliveryTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final Duration SHORT_TIMEOUT = Duration.ofMillis(100);

    private final CountDownLatch arrived = new CountDownLatch(1);

    /** The fake server sends no reply before this latch is counted down. */
    private final CountDownLatch released = new CountDownLatch(1);

    private final Handler delayedReplies = Handler.afterHandshake(command -> {
        arrived.countDown();
        return Answer.reply(":1\r\n").heldUntil(released);
    });

    private final Handler immediateReplies = Handler.afterHandshake(command -> Answer.reply(":1\r\n"));

    @Test
    void timedOutCommandIsNotPendingButStaysInFlightUntilItsReply() {
        try (FakeRedis server = FakeRedis.start(delayedReplies);
                RedisClient client = RedisClient.connect(options(server).build())) {

            assertThatThrownBy(() -> client.call(Strings.increment("k").within(SHORT_TIMEOUT)))
                    .isInstanceOf(TimedOutException.class);
            var timedOut = client.stats();
            released.countDown();
            client.call(Strings.increment("k"));
            var answered = client.stats();

            assertThat(timedOut.counts()).isEqualTo(new CommandCounts(1, 0, 0, 1, 0, 0, 0));
            assertThat(timedOut.connections().getFirst().inFlight()).isEqualTo(1);
            assertThat(answered.counts()).isEqualTo(new CommandCounts(2, 1, 0, 1, 0, 0, 0));
            assertThat(answered.lateReplies()).isEqualTo(1);
        }
    }

    @Test
    void callWithAnUnexpectedReplyThrowsAndItsCommandIsCountedAsOk() {
        try (FakeRedis server = FakeRedis.start(immediateReplies);
                RedisClient client = RedisClient.connect(options(server).build())) {

            assertThatThrownBy(() -> client.call(Strings.increment("k").as(Replies::text)))
                    .isInstanceOf(UnexpectedReplyException.class);

            assertThat(client.counts()).isEqualTo(new CommandCounts(1, 1, 0, 0, 0, 0, 0));
        }
    }

    @Test
    void cancellingAFutureDoesNotCancelItsCommand() {
        try (FakeRedis server = FakeRedis.start(delayedReplies);
                RedisClient client = RedisClient.connect(options(server).build())) {
            CompletableFuture<Long> future = client.send(Strings.increment("k"));

            future.cancel(true);
            released.countDown();
            client.call(Strings.increment("k"));

            assertThat(server.commands().stream()
                            .filter(command -> command.name().equals("INCRBY")))
                    .hasSize(2);
            assertThat(client.counts()).isEqualTo(new CommandCounts(2, 2, 0, 0, 0, 0, 0));
        }
    }

    @Test
    void onlyTheCommandsOfAPipelineBeyondTheWindowAreRefused() {
        try (FakeRedis server = FakeRedis.start(delayedReplies);
                RedisClient client = RedisClient.connect(
                        options(server).inFlight(64).overflow(Overflow.REFUSE).build())) {
            Pipeline pipeline = client.pipeline();

            for (int i = 0; i < 128; i++) {
                pipeline.add(Strings.increment("k"));
            }
            released.countDown();
            List<Result<?>> results = pipeline.run();

            assertThat(results.subList(0, 64)).allMatch(Result::ok);
            assertThat(results.subList(64, 128)).allMatch(result -> result.outcome() instanceof Outcome.Refused);
            assertThat(client.counts()).isEqualTo(new CommandCounts(128, 64, 0, 0, 64, 0, 0));
        }
    }

    @Test
    void commandsOfAPipelineThatIsNeverRunAreNotSubmitted() {
        try (FakeRedis server = FakeRedis.start(immediateReplies);
                RedisClient client = RedisClient.connect(options(server).build())) {

            client.pipeline().add(Strings.increment("k"));

            assertThat(client.counts()).isEqualTo(CommandCounts.NONE);
        }
    }

    @Test
    void borrowFromAnExhaustedPoolWaitsForTheTimeoutEvenWithOverflowRefuse() {
        try (FakeRedis server = FakeRedis.start(immediateReplies);
                RedisClient client = RedisClient.connect(options(server)
                        .poolSize(1)
                        .commandTimeout(SHORT_TIMEOUT)
                        .overflow(Overflow.REFUSE)
                        .build());
                DedicatedConnection borrowed = client.borrow()) {
            long before = System.nanoTime();

            assertThatThrownBy(client::borrow).isInstanceOf(RefusedException.class);
            Duration waited = Duration.ofNanos(System.nanoTime() - before);
            assertThatThrownBy(() -> client.call(Lists.awaitLeft(Duration.ofMillis(1), "k")))
                    .isInstanceOf(RefusedException.class);

            assertThat(waited).isGreaterThanOrEqualTo(SHORT_TIMEOUT);
            assertThat(borrowed.isOpen()).isTrue();
            assertThat(client.counts()).isEqualTo(new CommandCounts(1, 0, 0, 0, 1, 0, 0));
        }
    }

    @Test
    void futureOfARefusedCommandIsAlreadyCompletedWhenSendReturns() {
        try (FakeRedis server = FakeRedis.start(delayedReplies);
                RedisClient client = RedisClient.connect(
                        options(server).inFlight(1).overflow(Overflow.REFUSE).build())) {
            CompletableFuture<Long> first = client.send(Strings.increment("k"));

            CompletableFuture<Long> second = client.send(Strings.increment("k"));

            assertThat(second.isCompletedExceptionally()).isTrue();
            assertThat(second.exceptionNow()).isInstanceOf(RefusedException.class);
            released.countDown();
            assertThat(first.join()).isEqualTo(1);
        }
    }

    @Test
    void aCommandIsRefusedIfItsCallerIsInterruptedWhileItWaitsForAConnection() {
        try (FakeRedis server = FakeRedis.start(immediateReplies);
                RedisClient client =
                        RedisClient.connect(options(server).poolSize(1).build());
                DedicatedConnection borrowed = client.borrow()) {

            Thread.currentThread().interrupt();
            InterruptedCommandException interrupted = catchThrowableOfType(
                    InterruptedCommandException.class, () -> client.call(Lists.awaitLeft(Duration.ofMinutes(1), "k")));
            boolean stillInterrupted = Thread.interrupted();

            assertThat(stillInterrupted).isTrue();
            assertThat(interrupted.maybeExecuted()).isFalse();
            assertThat(borrowed.isOpen()).isTrue();
            assertThat(client.counts()).isEqualTo(new CommandCounts(1, 0, 0, 0, 1, 0, 0));
        }
    }

    @Test
    void aTransactionWithAConflictCountsAsOneCommandWithTheOutcomeOk() {
        Handler handler = Handler.afterHandshake(command -> Answer.reply(
                switch (command.name()) {
                    case "MULTI" -> "+OK\r\n";
                    case "EXEC" -> "_\r\n";
                    default -> "+QUEUED\r\n";
                }));
        try (FakeRedis server = FakeRedis.start(handler);
                RedisClient client = RedisClient.connect(options(server).build())) {
            Transaction transaction = client.transaction();
            Result<Long> first = transaction.add(Strings.increment("a"));
            transaction.add(Strings.increment("b"));

            Transaction.Ending ending = transaction.run();

            assertThat(ending).isEqualTo(Transaction.Ending.CONFLICT);
            assertThatIllegalStateException().isThrownBy(first::outcome);
            assertThat(client.counts()).isEqualTo(new CommandCounts(1, 1, 0, 0, 0, 0, 0));
        }
    }

    @Test
    void aTransactionThatTheServerDiscardsCountsAsOneError() {
        Handler handler = Handler.afterHandshake(command -> Answer.reply(
                switch (command.name()) {
                    case "MULTI" -> "+OK\r\n";
                    case "EXEC" -> "-EXECABORT Transaction discarded because of previous errors.\r\n";
                    default -> "-NOPERM this user may not\r\n";
                }));
        try (FakeRedis server = FakeRedis.start(handler);
                RedisClient client = RedisClient.connect(options(server).build())) {
            Transaction transaction = client.transaction();
            transaction.add(Strings.increment("a"));

            ErrorReplyException refused = catchThrowableOfType(ErrorReplyException.class, transaction::run);

            assertThat(refused.code()).isEqualTo("NOPERM");
            assertThat(refused.maybeExecuted()).isFalse();
            assertThat(client.counts()).isEqualTo(new CommandCounts(1, 0, 1, 0, 0, 0, 0));
        }
    }

    @Test
    void anInterruptDuringTheWaitForAReplyEndsTheWaitButNotTheCommand() {
        try (FakeRedis server = FakeRedis.start(delayedReplies);
                RedisClient client = RedisClient.connect(options(server).build())) {
            Pipeline pipeline = client.pipeline();
            pipeline.add(Strings.increment("k"));
            Transaction transaction = client.transaction();

            Thread.currentThread().interrupt();
            InterruptedCommandException call =
                    catchThrowableOfType(InterruptedCommandException.class, () -> client.call(Strings.increment("k")));
            InterruptedCommandException run = catchThrowableOfType(InterruptedCommandException.class, pipeline::run);
            InterruptedCommandException exec =
                    catchThrowableOfType(InterruptedCommandException.class, transaction::run);
            boolean stillInterrupted = Thread.interrupted();
            released.countDown();
            List<Result<?>> results = pipeline.run();

            assertThat(stillInterrupted).isTrue();
            assertThat(List.of(call.maybeExecuted(), run.maybeExecuted(), exec.maybeExecuted()))
                    .containsOnly(true);
            assertThat(results).hasSize(1).allMatch(Result::ok);
            client.call(Strings.increment("k"));
            assertThat(client.counts()).isEqualTo(new CommandCounts(4, 4, 0, 0, 0, 0, 0));
        }
    }

    @Test
    void commandIsRefusedIfItsCallerIsInterruptedWhileItWaitsForAPermit() {
        try (FakeRedis server = FakeRedis.start(delayedReplies);
                RedisClient client =
                        RedisClient.connect(options(server).inFlight(1).build())) {
            CompletableFuture<Long> first = client.send(Strings.increment("k"));
            Pipeline pipeline = client.pipeline();
            Transaction transaction = client.transaction();

            Thread.currentThread().interrupt();
            InterruptedCommandException call =
                    catchThrowableOfType(InterruptedCommandException.class, () -> client.call(Strings.increment("k")));
            CompletableFuture<Long> second = client.send(Strings.increment("k"));
            Result<Long> third = pipeline.add(Strings.increment("k"));
            InterruptedCommandException exec =
                    catchThrowableOfType(InterruptedCommandException.class, transaction::run);
            boolean stillInterrupted = Thread.interrupted();
            released.countDown();
            pipeline.run();

            assertThat(stillInterrupted).isTrue();
            assertThat(call.maybeExecuted()).isFalse();
            assertThat(exec.maybeExecuted()).isFalse();
            assertThatThrownBy(() -> second.get(10, TimeUnit.SECONDS)).hasCauseInstanceOf(RefusedException.class);
            assertThat(third.outcome()).isEqualTo(new Outcome.Refused());
            assertThat(first.join()).isEqualTo(1);
            assertThat(client.counts()).isEqualTo(new CommandCounts(5, 1, 0, 0, 4, 0, 0));
        }
    }

    @Test
    void pendingAndLaterCommandsAreLostAfterClose() throws Exception {
        try (FakeRedis server = FakeRedis.start(delayedReplies);
                RedisClient client = RedisClient.connect(options(server).build())) {
            CompletableFuture<Long> sent = client.send(Strings.increment("k"));
            arrived.await();

            client.close();
            released.countDown();
            ConnectionLostException afterwards =
                    catchThrowableOfType(ConnectionLostException.class, () -> client.call(Strings.increment("k")));

            assertThatThrownBy(() -> sent.get(10, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(ConnectionLostException.class)
                    .cause()
                    .extracting(cause -> ((ConnectionLostException) cause).maybeExecuted())
                    .isEqualTo(true);
            assertThat(afterwards.maybeExecuted()).isFalse();
            assertThat(afterwards).hasMessageContaining("closed by this client");
            assertThatIllegalStateException().isThrownBy(client::borrow);
            assertThat(client.counts()).isEqualTo(new CommandCounts(2, 0, 0, 0, 0, 2, 0));
        }
    }

    private static ClientOptions.Builder options(FakeRedis server) {
        return ClientOptions.builder(RedisUri.parse(server.uri()))
                .connections(1)
                .commandTimeout(TIMEOUT);
    }
}
