// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static io.millrace.client.WatchedClients.TIMEOUT;
import static io.millrace.client.WatchedClients.uri;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.client.command.Command;
import io.millrace.client.command.Lists;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.client.command.Transactions;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests transactions on a real server. A transaction is executed, has a conflict, or is discarded. It is never mixed
 * with other commands.
 */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class TransactionTest {

    private static EmbeddedRedis server;

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    @BeforeAll
    static void startServer() {
        server = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @BeforeEach
    void emptyServer() {
        try (RedisClient client = clients.connect(uri(server))) {
            client.call(Server.flush());
        }
    }

    @ParameterizedTest
    @EnumSource
    void executedTransactionHasAResultOrAnErrorForEachCommand(Protocol protocol) {
        try (RedisClient client = clients.connect(uri(server), options -> options.protocol(protocol))) {
            Transaction transaction = client.transaction();
            Result<?> set = transaction.add(Strings.set("k", "v"));
            Result<Long> wrong = transaction.add(Lists.pushRight("k", "element"));
            Result<Optional<String>> none = transaction.add(Strings.get("none"));
            Result<Optional<String>> get = transaction.add(Strings.get("k"));

            Transaction.Ending ending = transaction.run();

            assertThat(ending).isEqualTo(Transaction.Ending.EXECUTED);
            assertThat(transaction.results()).isEqualTo(List.of(set, wrong, none, get));
            assertThat(wrong.outcome()).isInstanceOf(Outcome.Failed.class);
            assertThatThrownBy(wrong::value)
                    .isInstanceOf(ErrorReplyException.class)
                    .hasMessageContaining("WRONGTYPE");
            assertThat(none.value()).isEmpty();
            assertThat(get.value()).hasValue("v");
            assertThat(client.counts()).isEqualTo(new CommandCounts(1, 1, 0, 0, 0, 0, 0));
        }
    }

    @Test
    void transactionRunsOnlyOnceAndThenRejectsFurtherCommands() {
        try (RedisClient client = clients.connect(uri(server))) {
            Transaction transaction = client.transaction();
            Result<String> pong = transaction.add(Server.ping());
            assertThatThrownBy(pong::outcome).isInstanceOf(IllegalStateException.class);
            transaction.run();

            assertThatThrownBy(transaction::run).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> transaction.add(Server.ping())).isInstanceOf(IllegalStateException.class);

            assertThat(pong.value()).isEqualTo("PONG");
        }
    }

    @ParameterizedTest
    @EnumSource
    void transactionWithoutCommandsIsExecuted(Protocol protocol) {
        try (RedisClient client = clients.connect(uri(server), options -> options.protocol(protocol))) {
            Transaction transaction = client.transaction();

            assertThat(transaction.run()).isEqualTo(Transaction.Ending.EXECUTED);
            assertThat(transaction.results()).isEmpty();
        }
    }

    @Test
    void transactionLargerThanTheWindowIsExecutedAsOneTransaction() {
        int commands = 50_000;
        try (RedisClient client =
                clients.connect(uri(server), options -> options.inFlight(16).inFlightBytes(1 << 16))) {
            Transaction transaction = client.transaction();
            for (int i = 0; i < commands; i++) {
                transaction.add(Strings.increment("counter"));
            }

            transaction.run();

            assertThat(transaction.results().stream().<Object>map(Result::value))
                    .isEqualTo(IntStream.rangeClosed(1, commands)
                            .<Object>mapToObj(Long::valueOf)
                            .toList());
        }
    }

    @ParameterizedTest
    @EnumSource
    void changeOfAWatchedKeyIsAConflictAndNoCommandIsExecuted(Protocol protocol) {
        try (RedisClient client = clients.connect(uri(server), options -> options.protocol(protocol));
                DedicatedConnection connection = client.borrow()) {
            connection.call(Transactions.watch("watched"));
            client.call(Strings.set("watched", "by another"));
            Transaction transaction = connection.transaction();
            Result<?> set = transaction.add(Strings.set("watched", "mine"));

            Transaction.Ending ending = transaction.run();

            assertThat(ending).isEqualTo(Transaction.Ending.CONFLICT);
            assertThatThrownBy(set::outcome).isInstanceOf(IllegalStateException.class);
            assertThat(client.call(Strings.get("watched"))).hasValue("by another");
        }
    }

    @Test
    void transactionCanBeRetriedOnTheSameConnectionAfterAConflict() throws Exception {
        int threads = 8;
        int each = 25;
        AtomicInteger conflicts = new AtomicInteger();
        // All threads watch the key before any thread changes the key for the first time.
        CyclicBarrier allWatch = new CyclicBarrier(threads);
        try (RedisClient client = clients.connect(uri(server), options -> options.poolSize(threads))) {
            List<Thread> all = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                all.add(Thread.ofVirtual().start(() -> {
                    try (DedicatedConnection connection = client.borrow()) {
                        int done = incremented(connection, () -> await(allWatch)) ? 1 : 0;
                        conflicts.addAndGet(1 - done);
                        while (done < each) {
                            if (incremented(connection, () -> {})) {
                                done++;
                            } else {
                                conflicts.incrementAndGet();
                            }
                        }
                    }
                }));
            }
            for (Thread thread : all) {
                thread.join();
            }

            assertThat(client.call(Strings.get("stock"))).hasValue(Integer.toString(threads * each));
            assertThat(conflicts.get()).isGreaterThanOrEqualTo(threads - 1);
        }
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await(60, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static boolean incremented(DedicatedConnection connection, Runnable afterWatch) {
        connection.call(Transactions.watch("stock"));
        afterWatch.run();
        long stock = connection.call(Strings.get("stock")).map(Long::parseLong).orElse(0L);
        Transaction transaction = connection.transaction();
        transaction.add(Strings.set("stock", Long.toString(stock + 1)));
        return transaction.run() == Transaction.Ending.EXECUTED;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void commandRejectedByTheServerDiscardsTheTransactionWithTheServersError(boolean dedicated) {
        try (RedisClient client = clients.connect(uri(server));
                DedicatedConnection connection = client.borrow()) {
            Transaction transaction = dedicated ? connection.transaction() : client.transaction();
            transaction.add(Strings.set("k", "v"));
            transaction.add(Command.of("NOSUCH", "k"));
            transaction.add(Command.of("GET"));

            ErrorReplyException failure = catchThrowableOfType(ErrorReplyException.class, transaction::run);

            assertThat(failure)
                    .hasMessageContainingAll("transaction", "nothing was executed", "unknown command 'NOSUCH'");
            assertThat(failure.maybeExecuted()).isFalse();
            assertThat(client.call(Strings.get("k"))).isEmpty();
            assertThat(connection.call(Server.ping())).isEqualTo("PONG");
            assertThat(client.counts().error()).isEqualTo(1);
        }
    }

    @Test
    void permissionErrorReportsWhetherCommandsWereExecuted() {
        try (RedisClient admin = clients.connect(uri(server))) {
            admin.call(Command.of("ACL SETUSER", "noset", "on", ">secret", "~*", "+@all", "-set"));
            admin.call(Command.of("ACL SETUSER", "nomulti", "on", ">secret", "~*", "+@all", "-multi", "-exec"));
            admin.call(Command.of("ACL SETUSER", "noexec", "on", ">secret", "~*", "+@all", "-exec"));

            Throwable noSet = transactionAs("noset");
            boolean afterNoSet = admin.call(Strings.get("k")).isPresent();
            Throwable noExec = transactionAs("noexec");
            boolean afterNoExec = admin.call(Strings.get("k")).isPresent();
            Throwable noMulti = transactionAs("nomulti");
            boolean afterNoMulti = admin.call(Strings.get("k")).isPresent();

            assertThat(noSet).hasMessageContainingAll("nothing was executed", "NOPERM", "'set'");
            assertThat(noExec).hasMessageContainingAll("nothing was executed", "NOPERM", "'exec'");
            assertThat(afterNoSet || afterNoExec).isFalse();
            assertThat(noMulti)
                    .isInstanceOfSatisfying(
                            ErrorReplyException.class,
                            failure -> assertThat(failure.maybeExecuted()).isEqualTo(afterNoMulti))
                    .hasMessageContainingAll("NOPERM", "'multi'");
        }
    }

    private Throwable transactionAs(String user) {
        try (RedisClient client = clients.connect(uri(server).withLogin(user, "secret"))) {
            Transaction transaction = client.transaction();
            transaction.add(Strings.set("k", "v"));
            return catchThrowable(transaction::run);
        }
    }

    @Test
    void transactionIsAtomicForOtherCallers() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger partial = new AtomicInteger();
        try (RedisClient client = clients.connect(uri(server), options -> options.inFlight(64))) {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                int number = i;
                threads.add(Thread.ofVirtual().start(() -> {
                    while (!over.get()) {
                        partial.addAndGet(number % 2 == 0 ? incrementBoth(client) : readBoth(client));
                    }
                }));
            }
            for (int i = 0; i < 300; i++) {
                partial.addAndGet(incrementBoth(client));
            }
            over.set(true);
            for (Thread thread : threads) {
                thread.join(TIMEOUT);
            }

            assertThat(partial).hasValue(0);
        }
    }

    /**
     * Increments both counters in one transaction. Returns 1 if the counters differ because a command of another caller
     * was executed between the increments; otherwise 0.
     */
    private static int incrementBoth(RedisClient client) {
        Transaction transaction = client.transaction();
        Result<Long> left = transaction.add(Strings.increment("left"));
        for (int i = 0; i < 50; i++) {
            transaction.add(Server.echo("a long transaction " + i));
        }
        Result<Long> right = transaction.add(Strings.increment("right"));
        transaction.run();
        return left.value().equals(right.value()) ? 0 : 1;
    }

    private static int readBoth(RedisClient client) {
        List<Optional<String>> both = client.call(Strings.getAll("left", "right"));
        return both.getFirst().equals(both.getLast()) ? 0 : 1;
    }
}
