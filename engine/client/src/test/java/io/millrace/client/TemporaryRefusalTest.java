// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.client.command.Command;
import io.millrace.client.command.Fusion;
import io.millrace.client.command.Lists;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ConnectionLostException;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.resp.Reply;
import io.millrace.testkit.Answer;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.ReceivedCommand;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests commands that the server temporarily refuses before it executes them. The server is a fake. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class TemporaryRefusalTest {

    private static final String LOADING = "-LOADING Redis is loading the dataset in memory\r\n";
    private static final String LOADING_CODE = "LOADING";
    private static final Duration SHORT = Duration.ofMillis(300);

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    /** Refuses the first {@code refusals} commands that match, with {@code error}; all others succeed. */
    private static Handler refusing(int refusals, String error, Predicate<ReceivedCommand> which) {
        AtomicInteger left = new AtomicInteger(refusals);
        return Handler.afterHandshake(command ->
                Answer.reply(which.test(command) && left.getAndDecrement() > 0 ? error : successOf(command)));
    }

    private static String successOf(ReceivedCommand command) {
        return switch (command.name()) {
            case "BLPOP" -> "_\r\n";
            case "GET" -> "$1\r\nv\r\n";
            case "EXEC" -> "*1\r\n$1\r\nv\r\n";
            default -> "+OK\r\n";
        };
    }

    private RedisClient connect(FakeRedis server, Duration timeout) {
        return clients.connect(
                WatchedClients.uri(server),
                options -> options.commandTimeout(timeout).fusion(Fusion.NONE));
    }

    private static List<String> lines(FakeRedis server) {
        return server.commands().stream()
                .filter(command ->
                        !command.name().equals("HELLO") && !command.name().equals("CLIENT"))
                .map(ReceivedCommand::line)
                .toList();
    }

    private static ConnectionStats stats(RedisClient client) {
        return client.stats().connections().getFirst();
    }

    // Single commands.

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-LOADING Redis is loading the dataset in memory\r\n",
                "-BUSY Redis is busy running a script.\r\n",
                "-MASTERDOWN Link with MASTER is down.\r\n",
                "-TRYAGAIN Multiple keys request during rehashing of slot\r\n"
            })
    void callIsSentAgainAfterATemporaryRefusal(String refusal) {
        try (FakeRedis server = FakeRedis.start(refusing(3, refusal, command -> true));
                RedisClient client = connect(server, WatchedClients.TIMEOUT)) {

            String value = client.call(Strings.get("k")).orElseThrow();

            assertThat(value).isEqualTo("v");
            assertThat(lines(server)).containsExactly("GET k", "GET k", "GET k", "GET k");
            assertThat(stats(client).retries()).isEqualTo(3);
            assertThat(client.counts()).isEqualTo(new CommandCounts(1, 1, 0, 0, 0, 0, 0));
        }
    }

    @Test
    void sendIsSentAgainAfterATemporaryRefusal() throws Exception {
        try (FakeRedis server = FakeRedis.start(refusing(50, LOADING, command -> true));
                RedisClient client = connect(server, WatchedClients.TIMEOUT)) {
            List<CompletableFuture<?>> futures = new ArrayList<>();

            for (int i = 0; i < 100; i++) {
                futures.add(client.send(Strings.set("k" + i, "v")));
            }

            for (CompletableFuture<?> future : futures) {
                future.get(60, TimeUnit.SECONDS);
            }
            assertThat(client.counts()).isEqualTo(new CommandCounts(100, 100, 0, 0, 0, 0, 0));
            assertThat(stats(client).inFlight()).isZero();
        }
    }

    @Test
    void theErrorOfTheServerIsTheOutcomeIfTheRefusalLastsUntilTheDeadline() {
        try (FakeRedis server = FakeRedis.start(refusing(Integer.MAX_VALUE, LOADING, command -> true));
                RedisClient client = connect(server, SHORT)) {

            // A machine that stops between the last retry and its reply causes a timeout. So the test tries again.
            Eventually.await(
                    "a call that ends with the error",
                    () -> LOADING_CODE.equals(codeOf(() -> client.call(Strings.get("k")))));
            Eventually.await(
                    "a future that ends with the error",
                    () -> LOADING_CODE.equals(
                            codeOf(() -> client.send(Strings.get("k")).join())));

            assertThat(stats(client).retries()).isPositive();
            assertThat(client.counts().pending()).isZero();
            assertThat(client.counts().ok()).isZero();
            Eventually.await("all permits are free", () -> stats(client).inFlight() == 0);
        }
    }

    private static String codeOf(ThrowingCallable call) {
        Throwable thrown = catchThrowable(call);
        Throwable cause = thrown instanceof CompletionException ? thrown.getCause() : thrown;
        return cause instanceof ErrorReplyException error ? error.code() : String.valueOf(cause);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-BUSYGROUP Consumer Group name already exists\r\n",
                "-BUSYKEY Target key name already exists.\r\n",
                "-ERR LOADING is part of the text\r\n",
                "-NOAUTH Authentication required.\r\n"
            })
    void otherErrorsAreNotRepeated(String error) {
        try (FakeRedis server = FakeRedis.start(refusing(1, error, command -> true));
                RedisClient client = connect(server, WatchedClients.TIMEOUT)) {

            assertThatThrownBy(() -> client.call(Strings.get("k"))).isInstanceOf(ErrorReplyException.class);

            assertThat(lines(server)).containsExactly("GET k");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"EVAL", "evalsha", "EVAL_RO", "EVALSHA_RO", "FCALL", "FCALL_RO", "EVAL return"})
    void scriptsAndFunctionsAreNotRepeated(String name) {
        try (FakeRedis server = FakeRedis.start(refusing(1, LOADING, command -> true));
                RedisClient client = connect(server, WatchedClients.TIMEOUT)) {

            ErrorReplyException thrown =
                    catchThrowableOfType(ErrorReplyException.class, () -> client.call(Command.of(name, "0")));

            assertThat(thrown.code()).isEqualTo("LOADING");
            assertThat(lines(server)).hasSize(1);
        }
    }

    @Test
    void healthReportsTheRefusalAtOnce() {
        try (FakeRedis server = FakeRedis.start(refusing(Integer.MAX_VALUE, LOADING, command -> true));
                RedisClient client = connect(server, WatchedClients.TIMEOUT)) {

            Health health = client.health(WatchedClients.TIMEOUT);

            assertThat(health.connections().getFirst().problem().orElseThrow()).contains("LOADING");
            assertThat(lines(server)).containsExactly("PING");
        }
    }

    @Test
    void waitingCommandsKeepTheirPermits() throws Exception {
        CountDownLatch loaded = new CountDownLatch(1);
        Handler handler =
                Handler.afterHandshake(command -> Answer.reply(loaded.getCount() == 0 ? successOf(command) : LOADING));
        try (FakeRedis server = FakeRedis.start(handler);
                RedisClient client = clients.connect(
                        WatchedClients.uri(server),
                        options -> options.inFlight(4).overflow(Overflow.REFUSE))) {
            List<CompletableFuture<?>> futures = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                futures.add(client.send(Strings.get("k")));
            }
            Eventually.await("a retry", () -> stats(client).retries() > 0);

            CompletableFuture<?> refused = client.send(Strings.get("k"));
            loaded.countDown();

            assertThat(refused).isCompletedExceptionally();
            for (CompletableFuture<?> future : futures) {
                future.get(60, TimeUnit.SECONDS);
            }
            assertThat(client.counts()).isEqualTo(new CommandCounts(5, 4, 0, 0, 1, 0, 0));
        }
    }

    @Test
    void closedClientLosesTheWaitingCommands() {
        CompletableFuture<?> future;
        RedisClient client;
        try (FakeRedis server = FakeRedis.start(refusing(Integer.MAX_VALUE, LOADING, command -> true))) {
            client = connect(server, WatchedClients.TIMEOUT);
            future = client.send(Strings.get("k"));
            Eventually.await("a retry", () -> stats(client).retries() > 0);
            assertThat(client.isClosed()).isFalse();

            client.close();
        }

        ExecutionException thrown =
                catchThrowableOfType(ExecutionException.class, () -> future.get(60, TimeUnit.SECONDS));
        assertThat(thrown).hasCauseInstanceOf(ConnectionLostException.class);
        assertThat(client.isClosed()).isTrue();
        assertThat(client.counts()).isEqualTo(new CommandCounts(1, 0, 0, 0, 0, 1, 0));
    }

    @Test
    void blockingCommandIsSentAgain() {
        Handler handler = refusing(2, LOADING, command -> command.name().equals("BLPOP"));
        try (FakeRedis server = FakeRedis.start(handler);
                RedisClient client = connect(server, WatchedClients.TIMEOUT)) {

            assertThat(client.call(Lists.awaitLeft(Duration.ofMillis(1), "list")))
                    .isEmpty();

            assertThat(lines(server)).hasSize(3).allMatch(line -> line.startsWith("BLPOP list"));
        }
    }

    // Pipelines.

    @Test
    void refusedTailOfAPipelineIsSentAgainInOrder() {
        // The server refuses from the third command on, and accepts commands again after six refusals.
        AtomicInteger received = new AtomicInteger();
        Handler handler = Handler.afterHandshake(command -> {
            int number = received.getAndIncrement();
            return Answer.reply(number >= 2 && number < 8 ? LOADING : "+OK\r\n");
        });
        try (FakeRedis server = FakeRedis.start(handler);
                RedisClient client = connect(server, WatchedClients.TIMEOUT)) {
            Pipeline pipeline = client.pipeline();
            for (int i = 0; i < 5; i++) {
                pipeline.add(Strings.set("k" + i, "v"));
            }

            List<Result<?>> results = pipeline.run();

            assertThat(results).allMatch(result -> result.outcome() instanceof Outcome.Ok);
            assertThat(lines(server))
                    .containsExactly(
                            "SET k0 v",
                            "SET k1 v",
                            "SET k2 v",
                            "SET k3 v",
                            "SET k4 v", // first attempt
                            "SET k2 v",
                            "SET k3 v",
                            "SET k4 v", // refused again
                            "SET k2 v",
                            "SET k3 v",
                            "SET k4 v");
            assertThat(client.counts()).isEqualTo(new CommandCounts(5, 5, 0, 0, 0, 0, 0));
            assertThat(stats(client).retries()).isEqualTo(6);
            assertThat(stats(client).inFlight()).isZero();
        }
    }

    @Test
    void refusedCommandOfAPipelineIsNotSentAgainAfterALaterCommandWasExecuted() {
        Handler handler = refusing(1, LOADING, command -> command.line().equals("SET k1 v"));
        try (FakeRedis server = FakeRedis.start(handler);
                RedisClient client = connect(server, WatchedClients.TIMEOUT)) {
            Pipeline pipeline = client.pipeline();
            for (int i = 0; i < 3; i++) {
                pipeline.add(Strings.set("k" + i, "v"));
            }

            List<Result<?>> results = pipeline.run();

            assertThat(results.get(0).outcome()).isInstanceOf(Outcome.Ok.class);
            assertThat(results.get(1).outcome()).isEqualTo(failed(LOADING));
            assertThat(results.get(2).outcome()).isInstanceOf(Outcome.Ok.class);
            assertThat(lines(server)).containsExactly("SET k0 v", "SET k1 v", "SET k2 v");
            assertThat(client.counts()).isEqualTo(new CommandCounts(3, 2, 1, 0, 0, 0, 0));
        }
    }

    @Test
    void refusedBatchIsNotSentAgainAfterALaterBatchOfThePipelineWasExecuted() {
        // The first batch has 64 commands. The server refuses them, after it has received the next batch.
        AtomicInteger received = new AtomicInteger();
        CountDownLatch bothBatches = new CountDownLatch(1);
        Handler handler = Handler.afterHandshake(command -> {
            int number = received.incrementAndGet();
            if (number == 100) {
                bothBatches.countDown();
            }
            return Answer.reply(number <= 64 ? LOADING : "+OK\r\n").heldUntil(bothBatches);
        });
        try (FakeRedis server = FakeRedis.start(handler);
                RedisClient client = connect(server, WatchedClients.TIMEOUT)) {
            Pipeline pipeline = client.pipeline();
            for (int i = 0; i < 100; i++) {
                pipeline.add(Strings.set("k" + i, "v"));
            }

            List<Result<?>> results = pipeline.run();

            assertThat(results.subList(0, 64))
                    .allMatch(result -> result.outcome().equals(failed(LOADING)));
            assertThat(results.subList(64, 100)).allMatch(result -> result.outcome() instanceof Outcome.Ok);
            assertThat(lines(server)).hasSize(100);
            assertThat(client.counts()).isEqualTo(new CommandCounts(100, 36, 64, 0, 0, 0, 0));
        }
    }

    @Test
    void everyExecutedCommandOfALongPipelineIsExecutedInOrder() {
        // The server refuses commands for a while, in the middle of a pipeline of many batches.
        List<String> executed = new ArrayList<>();
        AtomicInteger received = new AtomicInteger();
        Handler handler = Handler.afterHandshake(command -> {
            int number = received.getAndIncrement();
            if (number >= 500 && number < 5_000) {
                return Answer.reply(LOADING);
            }
            executed.add(command.text(1));
            return Answer.reply("+OK\r\n");
        });
        try (FakeRedis server = FakeRedis.start(handler);
                RedisClient client = connect(server, WatchedClients.TIMEOUT)) {
            Pipeline pipeline = client.pipeline();
            for (int i = 0; i < 3_000; i++) {
                pipeline.add(Strings.set(String.format("k%04d", i), "v"));
            }

            List<Result<?>> results = pipeline.run();

            assertThat(executed).isSorted().doesNotHaveDuplicates();
            assertThat(results.stream().filter(result -> result.outcome() instanceof Outcome.Ok))
                    .hasSize(executed.size());
            assertThat(client.counts().pending()).isZero();
            assertThat(stats(client).inFlight()).isZero();
        }
    }

    @Test
    void pipelineThatIsNeverRunEndsWithTheErrorAtItsDeadline() {
        try (FakeRedis server = FakeRedis.start(refusing(Integer.MAX_VALUE, LOADING, command -> true));
                RedisClient client = connect(server, Duration.ofSeconds(2))) {
            Pipeline pipeline = client.pipeline();

            for (int i = 0; i < 64; i++) {
                pipeline.add(Strings.set("k", "v"));
            }

            Eventually.await("all outcomes", () -> client.counts().error() == 64);
            assertThat(client.counts()).isEqualTo(new CommandCounts(64, 0, 64, 0, 0, 0, 0));
            assertThat(stats(client).inFlight()).isZero();
            assertThat(lines(server)).hasSize(64);
        }
    }

    @Test
    void refusedPipelineEndsWithTheErrorsAtItsDeadline() {
        try (FakeRedis server = FakeRedis.start(refusing(Integer.MAX_VALUE, LOADING, command -> true));
                RedisClient client = connect(server, SHORT)) {
            // A machine that stops between the last retry and its reply causes a timeout. So the test tries again.
            Eventually.await("a pipeline that ends with the errors", () -> {
                Pipeline pipeline = client.pipeline();
                for (int i = 0; i < 200; i++) {
                    pipeline.add(Strings.set("k", "v"));
                }
                return pipeline.run().stream()
                        .allMatch(result -> result.outcome().equals(failed(LOADING)));
            });

            assertThat(stats(client).retries()).isPositive();
            assertThat(client.counts().ok()).isZero();
            assertThat(client.counts().pending()).isZero();
        }
    }

    @Test
    void fusedCommandsAreSentAgain() {
        AtomicInteger left = new AtomicInteger(2);
        Handler handler = Handler.afterHandshake(command -> {
            String answer = left.getAndDecrement() > 0 ? LOADING : "+OK\r\n";
            return Answer.reply(answer);
        });
        try (FakeRedis server = FakeRedis.start(handler);
                RedisClient client = clients.connect(WatchedClients.uri(server))) {
            Pipeline pipeline = client.pipeline();
            for (int i = 0; i < 3; i++) {
                pipeline.add(Strings.set("k" + i, "v"));
            }

            List<Result<?>> results = pipeline.run();

            assertThat(results).allMatch(result -> result.outcome() instanceof Outcome.Ok);
            assertThat(lines(server))
                    .containsExactly("MSET k0 v k1 v k2 v", "MSET k0 v k1 v k2 v", "MSET k0 v k1 v k2 v");
        }
    }

    // Transactions.

    @Test
    void transactionIsSentAgainAfterItsCommandWasRefused() {
        AtomicInteger attempts = new AtomicInteger();
        Handler handler = Handler.afterHandshake(command -> Answer.reply(
                switch (command.name()) {
                    case "GET" -> attempts.getAndIncrement() == 0 ? LOADING : "+QUEUED\r\n";
                    case "EXEC" ->
                        attempts.get() == 1
                                ? "-EXECABORT Transaction discarded because of previous errors.\r\n"
                                : "*1\r\n$1\r\nv\r\n";
                    default -> "+OK\r\n";
                }));
        try (FakeRedis server = FakeRedis.start(handler);
                RedisClient client = connect(server, WatchedClients.TIMEOUT)) {
            Transaction transaction = client.transaction();
            transaction.add(Strings.get("k"));

            Transaction.Ending ending = transaction.run();

            assertThat(ending).isEqualTo(Transaction.Ending.EXECUTED);
            assertThat(lines(server)).containsExactly("MULTI", "GET k", "EXEC", "MULTI", "GET k", "EXEC");
            assertThat(client.counts()).isEqualTo(new CommandCounts(1, 1, 0, 0, 0, 0, 0));
        }
    }

    @Test
    void transactionIsSentAgainAfterItsExecWasRefused() {
        Handler handler = refusing(
                1,
                "-EXECABORT Transaction discarded because of: BUSY Redis is busy running a script.\r\n",
                command -> command.name().equals("EXEC"));
        try (FakeRedis server = FakeRedis.start(handler);
                RedisClient client = connect(server, WatchedClients.TIMEOUT)) {
            Transaction transaction = client.transaction();
            transaction.add(Strings.get("k"));

            Transaction.Ending ending = transaction.run();

            assertThat(ending).isEqualTo(Transaction.Ending.EXECUTED);
            assertThat(lines(server)).hasSize(6);
        }
    }

    @Test
    void transactionOfABorrowedConnectionIsNotSentAgain() {
        Handler handler = refusing(1, LOADING, command -> command.name().equals("EXEC"));
        try (FakeRedis server = FakeRedis.start(handler);
                RedisClient client = connect(server, WatchedClients.TIMEOUT);
                DedicatedConnection borrowed = client.borrow()) {
            Transaction transaction = borrowed.transaction();
            transaction.add(Strings.get("k"));

            ErrorReplyException thrown = catchThrowableOfType(ErrorReplyException.class, transaction::run);

            assertThat(thrown.code()).isEqualTo("LOADING");
            assertThat(lines(server)).containsExactly("MULTI", "GET k", "EXEC");
        }
    }

    private static Outcome failed(String error) {
        return new Outcome.Failed(new Reply.ErrorReply(error.substring(1, error.length() - 2)));
    }
}
