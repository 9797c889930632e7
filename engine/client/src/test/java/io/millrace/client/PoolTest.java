// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static io.millrace.client.WatchedClients.SHORT_LIMIT;
import static io.millrace.client.WatchedClients.TIMEOUT;
import static io.millrace.client.WatchedClients.uri;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.client.command.Command;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.command.Lists;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.client.command.Transactions;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.client.exception.RefusedException;
import io.millrace.client.exception.TimedOutException;
import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.Answer;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests how dedicated connections are borrowed, returned and opened, and how borrowers wait for a free connection. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class PoolTest {

    private static final CommandSpec<String> CLIENT_LIST = CommandSpec.of("CLIENT LIST", Replies::text);

    private static EmbeddedRedis server;

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    @BeforeAll
    static void startServer() {
        server = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Test
    void connectionWithUnchangedStateIsReused() {
        try (RedisClient client = clients.connect(uri(server))) {
            long first;
            long second;

            try (DedicatedConnection connection = client.borrow()) {
                first = connection.call(Server.clientId());
                connection.call(Transactions.watch("clean"));
                Transaction transaction = connection.transaction();
                transaction.add(Strings.set("clean", "1"));
                transaction.run();
                Pipeline pipeline = connection.pipeline();
                pipeline.add(Strings.get("clean"));
                pipeline.run();
                connection.call(Transactions.watch("clean"));
                connection.call(Transactions.unwatch());
            }
            try (DedicatedConnection connection = client.borrow()) {
                second = connection.call(Server.clientId());
            }

            assertThat(second).isEqualTo(first);
            assertThat(client.stats().connections()).hasSize(2);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"WATCH k", "SELECT 1", "CLIENT TRACKING ON", "CLIENT SETNAME other", "READONLY"})
    void connectionWithChangedStateIsClosedAndNotReused(String change) {
        String[] words = change.split(" (?=[^ ]+$)", 2);
        try (RedisClient client = clients.connect(uri(server))) {
            long first;
            long second;

            try (DedicatedConnection connection = client.borrow()) {
                first = connection.call(Server.clientId());
                Throwable refused = catchThrowable(() -> connection.call(
                        words.length == 1 ? Command.of(words[0]) : Command.of(words[0], (Object) words[1])));
                assertThat(refused == null || refused instanceof ErrorReplyException)
                        .isTrue();
            }
            try (DedicatedConnection connection = client.borrow()) {
                second = connection.call(Server.clientId());
            }

            assertThat(second).isNotEqualTo(first);
            Eventually.await("the server has closed the first connection", () -> !serverSees(client, first));
        }
    }

    @Test
    void connectionWhoseUnwatchWasRefusedIsNotReused() {
        Handler handler = Handler.afterHandshake(command -> Answer.reply(
                command.name().equals("UNWATCH") ? "-NOPERM no permissions to run 'unwatch'\r\n" : "+OK\r\n"));
        try (FakeRedis fake = FakeRedis.start(handler);
                RedisClient client = clients.connect(uri(fake))) {
            try (DedicatedConnection connection = client.borrow()) {
                connection.call(Transactions.watch("k"));
                assertThatThrownBy(() -> connection.call(Transactions.unwatch()))
                        .isInstanceOf(ErrorReplyException.class);
            }

            fake.awaitDisconnections(1, TIMEOUT);

            assertThat(fake.acceptedConnections()).isEqualTo(2);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "$5\r\nhal", "*2\r\n$1\r\na\r\n"})
    void connectionWithAPendingOrPartialReplyIsNotReused(String begun) {
        Handler handler = Handler.afterHandshake(command -> command.text(1).equals("slow")
                ? Answer.reply(begun).then(Answer.end(ConnectionEnd.SILENCE))
                : Answer.reply("$4\r\nmine\r\n"));
        try (FakeRedis fake = FakeRedis.start(handler);
                RedisClient client = clients.connect(uri(fake))) {
            Command<?> slow = Strings.get("slow").within(Duration.ofMillis(50));

            try (DedicatedConnection connection = client.borrow()) {
                assertThatThrownBy(() -> connection.call(slow)).isInstanceOf(TimedOutException.class);
            }
            fake.awaitDisconnections(1, TIMEOUT);
            try (DedicatedConnection connection = client.borrow()) {
                assertThat(connection.call(Strings.get("k"))).hasValue("mine");
            }

            assertThat(fake.acceptedConnections()).isEqualTo(3);
        }
    }

    @Test
    void connectionWhoseLateReplyHasArrivedIsReused() throws Exception {
        CountDownLatch released = new CountDownLatch(1);
        Handler handler = Handler.afterHandshake(command -> {
            Answer answer = Answer.reply("$4\r\nmine\r\n");
            return command.text(1).equals("slow") ? answer.heldUntil(released) : answer;
        });
        try (FakeRedis fake = FakeRedis.start(handler);
                RedisClient client = clients.connect(uri(fake))) {
            try (DedicatedConnection connection = client.borrow()) {
                Command<?> slow = Strings.get("slow").within(Duration.ofMillis(50));
                assertThatThrownBy(() -> connection.call(slow)).isInstanceOf(TimedOutException.class);
                released.countDown();
                assertThat(connection.call(Strings.get("k"))).hasValue("mine");
            }

            try (DedicatedConnection connection = client.borrow()) {
                assertThat(connection.call(Strings.get("k"))).hasValue("mine");
            }

            assertThat(fake.acceptedConnections()).isEqualTo(2);
            assertThat(client.stats().lateReplies()).isEqualTo(1);
        }
    }

    @Test
    void connectionReturnedRightAfterItsLastReplyIsAlwaysReused() {
        try (RedisClient client = clients.connect(uri(server))) {
            for (int i = 0; i < 500; i++) {
                try (DedicatedConnection connection = client.borrow()) {
                    Pipeline pipeline = connection.pipeline();
                    for (int k = 0; k < 20; k++) {
                        pipeline.add(Server.ping());
                    }
                    pipeline.run();
                }
            }

            String list = client.call(Command.of(CLIENT_LIST));

            assertThat(list.lines()).hasSize(2);
            assertThat(client.stats().connections())
                    .anyMatch(connection -> connection.name().equals("pool-1"));
        }
    }

    // Waiting for a connection.

    @Test
    void borrowersAreServedInTheOrderOfTheirRequests() throws Exception {
        List<Integer> served = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        try (RedisClient client = clients.connect(uri(server), options -> options.poolSize(1))) {
            try (DedicatedConnection held = client.borrow()) {
                held.call(Server.ping());
                for (int i = 0; i < 8; i++) {
                    int number = i;
                    threads.add(Thread.ofVirtual().start(() -> {
                        try (DedicatedConnection connection = client.borrow()) {
                            connection.call(Server.ping());
                            served.add(number);
                        }
                    }));
                    Eventually.await(
                            "the borrower waits", () -> threads.getLast().getState() == Thread.State.TIMED_WAITING);
                }
            }
            for (Thread thread : threads) {
                thread.join();
            }

            assertThat(served).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
        }
    }

    @Test
    void borrowerThatReturnsItsConnectionBorrowsAgainOnlyAfterWaitingBorrowers() throws Exception {
        List<String> served = new CopyOnWriteArrayList<>();
        try (RedisClient client = clients.connect(uri(server), options -> options.poolSize(1))) {
            DedicatedConnection held = client.borrow();
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                threads.add(Thread.ofPlatform().start(() -> {
                    try (DedicatedConnection connection = client.borrow()) {
                        served.add("waiting");
                        connection.call(Server.ping());
                    }
                }));
                Eventually.await(
                        "the borrower waits", () -> threads.getLast().getState() == Thread.State.TIMED_WAITING);
            }

            held.close();
            try (DedicatedConnection again = client.borrow()) {
                served.add("again");
                assertThat(again.isOpen()).isTrue();
            }
            for (Thread thread : threads) {
                thread.join();
            }

            assertThat(served).hasSize(6).endsWith("again");
        }
    }

    @Test
    void exceptionOfAnExhaustedPoolContainsThePoolStateAndTheLongestBorrow() throws Exception {
        try (RedisClient client =
                clients.connect(uri(server), options -> options.poolSize(2).commandTimeout(Duration.ofSeconds(2)))) {
            CompletableFuture<DedicatedConnection> longest = new CompletableFuture<>();
            Thread.ofPlatform().name("slow-borrower").start(() -> longest.complete(client.borrow()));
            try (DedicatedConnection first = longest.get(60, TimeUnit.SECONDS);
                    DedicatedConnection second = client.borrow()) {
                assertThat(first.isOpen() && second.isOpen()).isTrue();
                long before = System.nanoTime();

                RefusedException refused = catchThrowableOfType(RefusedException.class, client::borrow);

                assertThat(Duration.ofNanos(System.nanoTime() - before)).isBetween(Duration.ofSeconds(2), TIMEOUT);
                assertThat(refused.maybeExecuted()).isFalse();
                assertThat(refused)
                        .hasMessageMatching("no dedicated connection became free after \\d+ ms: total=2, active=2,"
                                + " opening=0, idle=0, waiting=0, limit=2\\. The longest borrow: borrowed by thread"
                                + " \"slow-borrower\" at io\\.millrace\\.client\\.PoolTest\\.\\S+:\\d+ \\d+ ms ago\\."
                                + " Return connections sooner, or raise poolSize");
            }
        }
    }

    @Test
    void borrowingVirtualThreadWithoutANameIsReportedByItsId() throws Exception {
        try (RedisClient client =
                clients.connect(uri(server), options -> options.poolSize(1).commandTimeout(Duration.ofSeconds(1)))) {
            CompletableFuture<DedicatedConnection> lent = new CompletableFuture<>();
            Thread borrower = Thread.ofVirtual().start(() -> lent.complete(client.borrow()));
            try (DedicatedConnection connection = lent.get(60, TimeUnit.SECONDS)) {
                assertThat(connection.isOpen()).isTrue();

                assertThatThrownBy(client::borrow)
                        .hasMessageContaining("borrowed by virtual thread " + borrower.threadId() + " at ");
            }
        }
    }

    @Test
    void interruptedBorrowerLeavesTheQueue() throws Exception {
        try (RedisClient client = clients.connect(uri(server), options -> options.poolSize(1))) {
            CompletableFuture<Throwable> thrown = new CompletableFuture<>();
            try (DedicatedConnection held = client.borrow()) {
                assertThat(held.isOpen()).isTrue();
                Thread borrower = Thread.ofVirtual().start(() -> {
                    Throwable failure = catchThrowable(client::borrow);
                    thrown.complete(Thread.currentThread().isInterrupted() ? failure : null);
                });
                Eventually.await("the borrower waits", () -> borrower.getState() == Thread.State.TIMED_WAITING);

                borrower.interrupt();

                assertThat(thrown.get(60, TimeUnit.SECONDS))
                        .isInstanceOfSatisfying(
                                InterruptedCommandException.class,
                                failure -> assertThat(failure.maybeExecuted()).isFalse());
            }
            try (DedicatedConnection again = client.borrow()) {
                assertThat(again.call(Server.ping())).isEqualTo("PONG");
            }
        }
    }

    // Opening a connection.

    @Test
    void failureToOpenAConnectionFreesItsPoolSlot() {
        try (EmbeddedRedis ownServer = EmbeddedRedis.start();
                RedisClient client = clients.connect(uri(ownServer), options -> options.poolSize(2))) {
            ownServer.kill();

            for (int i = 0; i < 5; i++) {
                assertThatThrownBy(client::borrow)
                        .isInstanceOfSatisfying(
                                ConnectException.class,
                                failure -> assertThat(failure.reason()).isEqualTo(ConnectException.Reason.UNREACHABLE));
            }
        }
    }

    @Test
    void openingAConnectionIsLimitedByTheBorrowersTimeout() {
        Handler handler = Handler.perConnection(
                Handler.afterHandshake(command -> Answer.reply("+PONG\r\n")),
                command -> Answer.end(ConnectionEnd.SILENCE));
        try (FakeRedis fake = FakeRedis.start(handler);
                RedisClient client =
                        clients.connect(uri(fake), options -> options.commandTimeout(Duration.ofSeconds(1)))) {
            long before = System.nanoTime();

            ConnectException failure = catchThrowableOfType(ConnectException.class, client::borrow);

            assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(SHORT_LIMIT);
            assertThat(failure).hasMessageContaining("no answer to HELLO after ");
        }
    }

    @Test
    void idleConnectionClosedByTheServerIsNotReused() {
        try (RedisClient client = clients.connect(uri(server))) {
            List<Long> ids = new ArrayList<>();
            try (DedicatedConnection first = client.borrow();
                    DedicatedConnection second = client.borrow()) {
                ids.add(first.call(Server.clientId()));
                ids.add(second.call(Server.clientId()));
            }
            for (long id : ids) {
                client.call(Command.of("CLIENT KILL", "ID", id));
            }
            Eventually.await(
                    "both losses are noticed",
                    () -> client.stats().connections().stream()
                                    .filter(ConnectionStats::open)
                                    .count()
                            == 1);

            try (DedicatedConnection next = client.borrow()) {
                assertThat(ids).doesNotContain(next.call(Server.clientId()));
            }

            assertThat(client.stats().connections()).hasSize(2);
        }
    }

    @Test
    void connectionClosedByTheServersIdleTimeoutIsNotReused() {
        try (EmbeddedRedis withIdleTimeout =
                        EmbeddedRedis.start(EmbeddedOptions.defaults().withConfig("timeout 1"));
                RedisClient client = clients.connect(uri(withIdleTimeout))) {
            long first;
            try (DedicatedConnection connection = client.borrow()) {
                first = connection.call(Server.clientId());
            }
            Eventually.await(
                    "the server closes the connection",
                    () -> client.stats().connections().stream()
                            .noneMatch(connection ->
                                    connection.kind() == ConnectionStats.Kind.DEDICATED && connection.open()));

            try (DedicatedConnection connection = client.borrow()) {
                assertThat(connection.call(Server.clientId())).isNotEqualTo(first);
            }
        }
    }

    @Test
    void blockingCommandWithoutAConnectionIsCountedAsRefusedOrLost() throws ExecutionException, InterruptedException {
        try (EmbeddedRedis ownServer = EmbeddedRedis.start();
                RedisClient client = clients.connect(
                        uri(ownServer), options -> options.poolSize(1).commandTimeout(Duration.ofSeconds(1)))) {
            Command<?> take = Lists.awaitLeft(Duration.ofMillis(100), "nothing");
            try (DedicatedConnection held = client.borrow()) {
                assertThat(held.isOpen()).isTrue();
                assertThatThrownBy(() -> client.call(take)).isInstanceOf(RefusedException.class);
            }
            ownServer.kill();
            Eventually.await(
                    "the loss of all connections is noticed",
                    () -> client.stats().connections().stream().noneMatch(ConnectionStats::open));

            assertThatThrownBy(() -> client.call(take)).isInstanceOf(ConnectException.class);

            assertThat(client.counts()).isEqualTo(new CommandCounts(2, 0, 0, 0, 1, 1, 0));
        }
    }

    private static boolean serverSees(RedisClient client, long id) {
        return client.call(Command.of(CLIENT_LIST)).contains("id=" + id + " ");
    }
}
