// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.Transaction.Ending;
import io.millrace.client.command.Command;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Script;
import io.millrace.client.command.Scripts;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.client.exception.RefusedException;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests transactions and scripts whose futures are completed on an executor of the user. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
@SuppressWarnings("FutureReturnValueIgnored") // a test that waits for the effect of the callback
class ExecutorTransactionTest {

    private static EmbeddedRedis server;

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    private final ExecutorService loop = Executors.newSingleThreadExecutor(task -> new Thread(task, "loop"));

    @BeforeAll
    static void startServer() {
        server = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @AfterEach
    void close() throws InterruptedException {
        loop.shutdown();
        assertThat(loop.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void sentTransactionEndsOnTheExecutorWithItsResults() throws Exception {
        try (RedisClient client = clients.connect(WatchedClients.uri(server))) {
            Transaction transaction = client.transaction();
            Result<String> set = transaction.add(Strings.set("tx", "1"));
            Result<Long> increment = transaction.add(Strings.increment("tx"));

            CompletableFuture<String> completer = new CompletableFuture<>();
            loop.execute(() -> transaction
                    .send(loop)
                    .whenComplete((ending, failure) -> completer.complete(
                            ending + " on " + Thread.currentThread().getName())));

            assertThat(completer.get(60, TimeUnit.SECONDS)).isEqualTo("EXECUTED on loop");
            assertThat(set.value()).isEqualTo("OK");
            assertThat(increment.value()).isEqualTo(2);
            assertThat(client.counts().ok()).isOne();
            assertThatThrownBy(() -> transaction.send(loop)).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void commandsAroundASentTransactionKeepTheirOrder() throws Exception {
        try (RedisClient client = clients.connect(WatchedClients.uri(server))) {
            CompletableFuture<String> first = client.send(Strings.set("order", "1"), loop);
            Transaction transaction = client.transaction();
            Result<Long> increment = transaction.add(Strings.increment("order"));
            CompletableFuture<Ending> ended = transaction.send(loop);
            CompletableFuture<Long> last = client.send(Strings.increment("order"), loop);

            assertThat(last.get(60, TimeUnit.SECONDS)).isEqualTo(3);
            assertThat(first).isCompletedWithValue("OK");
            assertThat(ended).isCompletedWithValue(Ending.EXECUTED);
            assertThat(increment.value()).isEqualTo(2);
        }
    }

    @Test
    void scriptThatTheServerDoesNotHaveEndsOnTheExecutor() throws Exception {
        try (RedisClient client = clients.connect(WatchedClients.uri(server))) {
            Script script = Script.of("return #ARGV + " + System.nanoTime() % 1_000 + " * 0");

            Long arguments = client.send(
                            Scripts.run(script, List.of("k"), List.of("a", "b")).as(Replies::integer), loop)
                    .get(60, TimeUnit.SECONDS);

            assertThat(arguments).isEqualTo(2);
        }
    }

    @Test
    void rejectedTransactionFails() {
        try (RedisClient client = clients.connect(WatchedClients.uri(server))) {
            Transaction transaction = client.transaction();
            transaction.add(Command.of("GET"));

            assertThatThrownBy(() -> transaction.send(loop).get(60, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(ErrorReplyException.class)
                    .hasMessageContaining("nothing was executed");
        }
    }

    @Test
    void refusedTransactionFailsAtOnce() {
        try (RedisClient client = clients.connect(
                WatchedClients.uri(server),
                options -> options.inFlightBytes(1 << 16).overflow(Overflow.REFUSE))) {
            CompletableFuture<String> large = client.send(Strings.set("large", "v".repeat(1 << 16)), loop);
            Transaction transaction = client.transaction();
            transaction.add(Strings.set("large", "v".repeat(1 << 16)));

            CompletableFuture<Ending> ended = transaction.send(loop);

            // The first command may have ended already; then the transaction is executed.
            if (client.counts().refused() == 1) {
                assertThat(ended).isCompletedExceptionally();
                assertThatThrownBy(ended::get).hasCauseInstanceOf(RefusedException.class);
            } else {
                assertThat(ended.join()).isEqualTo(Ending.EXECUTED);
            }
            assertThat(large.join()).isEqualTo("OK");
        }
    }

    @Test
    void transactionOfABorrowedConnectionCannotBeSent() {
        try (RedisClient client = clients.connect(WatchedClients.uri(server));
                DedicatedConnection connection = client.borrow()) {
            Transaction transaction = connection.transaction();

            assertThatThrownBy(() -> transaction.send(loop))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("Call run()");
        }
    }
}
