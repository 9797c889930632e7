// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static io.millrace.client.WatchedClients.TIMEOUT;
import static io.millrace.client.WatchedClients.uri;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.millrace.client.command.Command;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.command.Lists;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ConnectionLostException;
import io.millrace.client.exception.RedisException;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.Answer;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Tests the end of dedicated connections in three cases: the borrower never closes the connection, the borrower uses
 * the connection after closing it, or the client is closed before the borrower closes the connection.
 */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class PoolEndTest {

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

    // Connections that are never closed.

    @Test
    void connectionNeverClosedByItsBorrowerIsLoggedAndItsPoolSlotIsFreed() {
        try (RedisClient client = clients.connect(uri(server), options -> options.poolSize(1))) {
            long forgotten = forget(client);

            try (DedicatedConnection next = borrowAfterCollection(client)) {
                assertThat(next.call(Server.clientId())).isNotEqualTo(forgotten);
            }

            assertThat(log.warnings())
                    .singleElement()
                    .asString()
                    .matches(
                            "a dedicated connection was never returned: borrowed by thread \".*\" at"
                                    + " io\\.millrace\\.client\\.PoolEndTest\\.forget:\\d+ \\d+ ms ago\\. Close borrowed connections");
            Eventually.await("the server sees it no more", () -> !serverSees(client, forgotten));
        }
    }

    private static long forget(RedisClient client) {
        DedicatedConnection connection = client.borrow();
        return connection.call(Server.clientId());
    }

    private static DedicatedConnection borrowAfterCollection(RedisClient client) {
        CompletableFuture<DedicatedConnection> next = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> next.complete(client.borrow()));
        Eventually.await("the unreachable connection is noticed", () -> {
            System.gc();
            return next.isDone();
        });
        return next.join();
    }

    @Test
    void pipelineAndTransactionProtectTheirConnectionFromGarbageCollection() {
        try (RedisClient client = clients.connect(uri(server))) {
            Pipeline pipeline = client.borrow().pipeline();
            Transaction transaction = client.borrow().transaction();
            for (int i = 0; i < 5; i++) {
                System.gc();
                LockSupport.parkNanos(1_000_000);
            }
            Result<String> pong = pipeline.add(Server.ping());
            transaction.add(Server.ping());

            pipeline.run();

            assertThat(pong.value()).isEqualTo("PONG");
            assertThat(transaction.run()).isEqualTo(Transaction.Ending.EXECUTED);
            assertThat(log.warnings()).isEmpty();
        }
    }

    @Test
    void closingTheClientLogsConnectionsThatAreStillBorrowed() {
        RedisClient client = clients.connect(uri(server));
        DedicatedConnection connection = client.borrow();

        client.close();

        assertThat(connection.isOpen()).isFalse();
        assertThat(log.warnings())
                .singleElement()
                .asString()
                .contains(
                        "closed together with its client: borrowed by thread",
                        "PoolEndTest.closingTheClientLogsConnectionsThatAreStillBorrowed");
        assertThatThrownBy(() -> connection.call(Server.ping())).isInstanceOf(ConnectionLostException.class);
        connection.close();
    }

    // Use after the end.

    @Test
    void connectionRunsNoCommandsAfterItsBorrowerHasClosedIt() {
        try (RedisClient client = clients.connect(uri(server))) {
            DedicatedConnection connection = client.borrow();
            Pipeline pipeline = connection.pipeline();
            Pipeline filled = connection.pipeline();
            filled.add(Strings.set("stray", "1"));
            Transaction transaction = connection.transaction();
            transaction.add(Strings.set("stray", "1"));

            connection.close();
            connection.close();

            assertThat(connection.isOpen()).isFalse();
            for (Runnable use : List.<Runnable>of(
                    () -> connection.call(Server.ping()),
                    connection::pipeline,
                    connection::transaction,
                    filled::run,
                    transaction::run,
                    () -> {
                        pipeline.add(Server.ping());
                        pipeline.run();
                    })) {
                assertThatThrownBy(use::run)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("was returned");
            }
            assertThat(client.call(Strings.get("stray"))).isEmpty();
        }
    }

    @Test
    void waitingBorrowerReturnsAtOnceWhenTheClientIsClosed() throws Exception {
        RedisClient client = clients.connect(uri(server), options -> options.poolSize(1));
        DedicatedConnection held = client.borrow();
        CompletableFuture<Throwable> borrower = new CompletableFuture<>();
        CompletableFuture<Throwable> caller = new CompletableFuture<>();
        List<Thread> waiting = List.of(
                Thread.ofVirtual().start(() -> borrower.complete(catchThrowable(client::borrow))),
                Thread.ofVirtual()
                        .start(() -> caller.complete(catchThrowable(
                                () -> client.call(Lists.awaitLeft(Duration.ofSeconds(60), "nothing"))))));
        for (Thread thread : waiting) {
            Eventually.await("the thread waits", () -> thread.getState() == Thread.State.TIMED_WAITING);
        }

        client.close();

        for (CompletableFuture<Throwable> failure : List.of(borrower, caller)) {
            assertThat(failure.get(60, TimeUnit.SECONDS))
                    .isInstanceOf(ConnectionLostException.class)
                    .hasMessageContaining("the client is closed");
        }
        assertThatThrownBy(client::borrow).isInstanceOf(IllegalStateException.class);
        held.close();
    }

    @Test
    void borrowFailsAndItsConnectionIsClosedIfTheClientIsClosedDuringTheHandshake() throws Exception {
        Handler handler = Handler.perConnection(
                Handler.afterHandshake(command -> Answer.reply("+PONG\r\n")),
                command -> Answer.end(ConnectionEnd.SILENCE));
        try (FakeRedis fake = FakeRedis.start(handler)) {
            RedisClient client = clients.connect(uri(fake));
            CompletableFuture<Throwable> borrower = new CompletableFuture<>();
            Thread.ofVirtual().start(() -> borrower.complete(catchThrowable(client::borrow)));
            fake.awaitConnections(2, TIMEOUT);

            client.close();

            assertThat(borrower.get(60, TimeUnit.SECONDS)).isInstanceOf(RedisException.class);
            fake.awaitDisconnections(2, TIMEOUT);
        }
    }

    private static boolean serverSees(RedisClient client, long id) {
        return client.call(Command.of(CLIENT_LIST)).contains("id=" + id + " ");
    }
}
