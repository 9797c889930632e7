// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.client.BulkOptions;
import io.millrace.client.BulkWriter;
import io.millrace.client.ClientOptions;
import io.millrace.client.CommandCounts;
import io.millrace.client.DedicatedConnection;
import io.millrace.client.Message;
import io.millrace.client.Outcome;
import io.millrace.client.Pipeline;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.Result;
import io.millrace.client.SubscribeOptions;
import io.millrace.client.Subscription;
import io.millrace.client.Transaction;
import io.millrace.client.command.Command;
import io.millrace.client.command.Lists;
import io.millrace.client.command.PubSub;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ConnectionLostException;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.client.exception.TimedOutException;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.Direction;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.Faults;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.RefusalMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests the statements of docs/delivery.md on lost connections. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class ReconnectTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    /** Larger than all socket buffers between client and server together. */
    private static final String LARGE = "x".repeat(32 << 20);

    private static EmbeddedRedis server;

    private RedisClient direct;
    private FaultProxy proxy;

    @BeforeAll
    static void startServer() {
        server = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @BeforeEach
    void connect() {
        direct = RedisClient.connect(RedisUri.parse(server.uri()));
        direct.call(Server.flush());
        proxy = FaultProxy.inFrontOf(server.host(), server.port());
    }

    @AfterEach
    void disconnect() {
        proxy.close();
        direct.close();
    }

    @Test
    void sentCommandIsLostUnlessItOnlyReadsOrIsMarkedAsIdempotent() throws Exception {
        try (RedisClient client = RedisClient.connect(options().build())) {
            proxy.stall(Direction.TO_CLIENT);
            CompletableFuture<Optional<String>> get = client.send(Strings.get("a"));
            CompletableFuture<String> set = client.send(Strings.set("b", "1").idempotently());
            CompletableFuture<Long> increment = client.send(Strings.increment("a"));
            while (direct.call(Strings.get("a")).isEmpty()) {
                Thread.onSpinWait();
            }

            proxy.disconnectAll(ConnectionEnd.RESET);
            proxy.resume(Direction.TO_CLIENT);

            assertThat(lossOf(increment).maybeExecuted()).isTrue();
            assertThat(set.get(10, TimeUnit.SECONDS)).isEqualTo("OK");
            // The client sent the GET again, and the server executed it after the later increment.
            assertThat(get.get(10, TimeUnit.SECONDS)).hasValue("1");
            assertThat(direct.call(Strings.get("a"))).hasValue("1");
            assertThat(client.counts()).isEqualTo(new CommandCounts(3, 2, 0, 0, 0, 1, 0));
        }
    }

    @Test
    void commandsThatWereNotWrittenCompletelyToTheSocketAreSentAgainInOrder() throws Exception {
        try (RedisClient client =
                RedisClient.connect(options().inFlightBytes(1L << 30).build())) {
            long sentBefore = slowDown();
            CompletableFuture<Long> first = client.send(Lists.pushRight("list", LARGE));
            CompletableFuture<Long> second = client.send(Lists.pushRight("list", "end"));
            proxy.awaitForwarded(Direction.TO_SERVER, sentBefore + 1_000_000, TIMEOUT);

            proxy.disconnectAll(ConnectionEnd.RESET);
            proxy.faults(Faults.NONE);

            assertThat(first.get(10, TimeUnit.SECONDS)).isEqualTo(1);
            assertThat(second.get(10, TimeUnit.SECONDS)).isEqualTo(2);
            assertThat(direct.call(Lists.range("list", 1, -1))).containsExactly("end");
            assertThat(client.stats().reconnections()).isEqualTo(1);
        }
    }

    @Test
    void aTransactionWhoseLastByteWasNotWrittenToTheSocketIsSentAgain() throws Exception {
        try (RedisClient client = RedisClient.connect(options().build())) {
            long sentBefore = slowDown();
            Transaction transaction = client.transaction();
            Result<Long> pushed = transaction.add(Lists.pushRight("list", LARGE));
            CompletableFuture<Transaction.Ending> ending = CompletableFuture.supplyAsync(transaction::run);
            proxy.awaitForwarded(Direction.TO_SERVER, sentBefore + 1_000_000, TIMEOUT);

            proxy.disconnectAll(ConnectionEnd.RESET);
            proxy.faults(Faults.NONE);

            assertThat(ending.get(10, TimeUnit.SECONDS)).isEqualTo(Transaction.Ending.EXECUTED);
            assertThat(pushed.value()).isEqualTo(1);
            assertThat(direct.call(Lists.size("list"))).isEqualTo(1);
        }
    }

    @Test
    void commandThatTimesOutWithoutAConnectionIsNeverSent() {
        try (RedisClient client = RedisClient.connect(options().build())) {
            proxy.refuseConnections(RefusalMode.CLOSED_PORT);
            proxy.disconnectAll(ConnectionEnd.RESET);
            awaitLoss(client);

            TimedOutException timedOut = catchThrowableOfType(
                    TimedOutException.class,
                    () -> client.call(Strings.increment("a").within(Duration.ofMillis(300))));
            proxy.acceptConnections();
            long next = client.call(Strings.increment("a"));

            assertThat(timedOut).hasMessageContaining("phase=not connected");
            assertThat(next).isEqualTo(1);
        }
    }

    @Test
    void commandsFailAtOnceWhileTheLoginIsRejected() throws Exception {
        direct.call(Command.of("ACL SETUSER", "u", "on", ">secret", "~*", "+@all"));
        RedisUri uri = RedisUri.of(proxy.host(), proxy.port()).withLogin("u", "secret");
        try (RedisClient client = RedisClient.connect(ClientOptions.builder(uri)
                .connections(1)
                .commandTimeout(TIMEOUT)
                .build())) {
            direct.call(Command.of("ACL DELUSER", "u"));
            proxy.disconnectAll(ConnectionEnd.RESET);
            awaitLoss(client);

            ConnectionLostException lost =
                    catchThrowableOfType(ConnectionLostException.class, () -> client.call(Server.ping()));

            assertThat(lost.maybeExecuted()).isFalse();
            assertThat(lost).hasMessageContaining("WRONGPASS").hasMessageNotContaining("secret");
            assertThat(client.isOpen()).isFalse();

            direct.call(Command.of("ACL SETUSER", "u", "on", ">secret", "~*", "+@all"));

            awaitOpen(client);
            assertThat(client.call(Server.ping())).isEqualTo("PONG");
        }
    }

    @Test
    void aLostDedicatedConnectionIsNotReplaced() {
        try (RedisClient client = RedisClient.connect(options().build())) {
            try (DedicatedConnection connection = client.borrow()) {
                proxy.disconnectAll(ConnectionEnd.RESET);

                assertThatThrownBy(() -> connection.call(Strings.get("a"))).isInstanceOf(ConnectionLostException.class);
                assertThat(connection.isOpen()).isFalse();
            }
            try (DedicatedConnection another = client.borrow()) {
                assertThat(another.call(Strings.get("a"))).isEmpty();
            }
        }
    }

    @Test
    void bulkWriterDoesNotReconnectAfterALostConnectionAndSendsNothingAgain() {
        List<Outcome> outcomes = new ArrayList<>();
        try (RedisClient client = RedisClient.connect(options().build());
                BulkWriter writer =
                        client.bulkWriter(BulkOptions.DEFAULT, (tag, command, outcome) -> outcomes.add(outcome))) {
            proxy.stall(Direction.TO_SERVER);
            writer.begin(Strings.GET).arg("a").end(1);
            writer.flush();
            proxy.disconnectAll(ConnectionEnd.RESET);

            writer.finish();
            writer.begin(Strings.GET).arg("a").end(2);

            assertThat(outcomes).hasSize(2).allMatch(outcome -> outcome instanceof Outcome.Lost);
            assertThat(((Outcome.Lost) outcomes.getLast()).maybeExecuted()).isFalse();
            assertThat(writer.isOpen()).isFalse();
        }
    }

    @Test
    void interruptingABlockingCommandClosesItsConnection() throws Exception {
        try (RedisClient client = RedisClient.connect(options().build())) {
            CompletableFuture<Throwable> failure = new CompletableFuture<>();
            Thread consumer = Thread.ofVirtual().start(() -> {
                try {
                    client.call(Lists.awaitLeft(Duration.ofMinutes(1), "list"));
                } catch (InterruptedCommandException e) {
                    failure.complete(e);
                }
            });
            proxy.awaitAccepted(2, TIMEOUT);

            consumer.interrupt();
            InterruptedCommandException interrupted = (InterruptedCommandException) failure.get(10, TimeUnit.SECONDS);
            proxy.awaitOpen(1, TIMEOUT);

            assertThat(interrupted.maybeExecuted()).isTrue();
            consumer.join();
        }
    }

    @Test
    void subscriptionReconnectsAndCountsItsLostConnectionAsAGap() {
        try (RedisClient client = RedisClient.connect(options().build());
                Subscription subscription =
                        client.subscribe(SubscribeOptions.channels("news").withBuffer(2))) {
            proxy.disconnectAll(ConnectionEnd.RESET);
            do {
                direct.call(PubSub.publish("news", "back?"));
            } while (subscription.poll(Duration.ofMillis(20)).isEmpty());
            while (subscription.poll(Duration.ofMillis(50)).isPresent()) {
                // The loop only discards the messages that were published during the reconnect.
            }
            for (String text : List.of("one", "two", "three")) {
                direct.call(PubSub.publish("news", text));
            }
            while (subscription.dropped() == 0) {
                Thread.onSpinWait();
            }

            assertThat(subscription.poll(TIMEOUT).map(Message::text)).hasValue("two");
            assertThat(subscription.gaps()).isEqualTo(1);
            assertThat(client.counts()).isEqualTo(CommandCounts.NONE);
        }
    }

    @Test
    void aPipelineCommandIsLostWhileARepeatableCommandOfThePipelineIsSentAgain() {
        try (RedisClient client = RedisClient.connect(options().build())) {
            proxy.stall(Direction.TO_CLIENT);
            Pipeline pipeline = client.pipeline();
            Result<Long> increment = pipeline.add(Strings.increment("a"));
            Result<Optional<String>> get = pipeline.add(Strings.get("a"));
            Thread runner = Thread.ofVirtual().start(pipeline::run);
            while (direct.call(Strings.get("a")).isEmpty()) {
                Thread.onSpinWait();
            }

            proxy.disconnectAll(ConnectionEnd.RESET);
            proxy.resume(Direction.TO_CLIENT);
            join(runner);

            assertThat(increment.outcome()).isInstanceOf(Outcome.Lost.class);
            assertThat(get.value()).hasValue("1");
            assertThat(direct.call(Strings.get("a"))).hasValue("1");
        }
    }

    private ClientOptions.Builder options() {
        return ClientOptions.builder(RedisUri.of(proxy.host(), proxy.port()))
                .connections(1)
                .commandTimeout(TIMEOUT);
    }

    /**
     * Limits the proxy to 10 MB per second from now on. Returns the number of bytes that the proxy has forwarded to the
     * server so far.
     */
    private long slowDown() {
        proxy.faults(Direction.TO_SERVER, Faults.NONE.withBytesPerSecond(10_000_000));
        return proxy.forwardedBytes(Direction.TO_SERVER);
    }

    private static void awaitLoss(RedisClient client) {
        while (client.isOpen()) {
            Thread.onSpinWait();
        }
    }

    private static void awaitOpen(RedisClient client) {
        long start = System.nanoTime();
        while (!client.isOpen() && System.nanoTime() - start < TIMEOUT.toNanos()) {
            Thread.onSpinWait();
        }
    }

    private static ConnectionLostException lossOf(CompletableFuture<?> future) {
        ExecutionException failure =
                catchThrowableOfType(ExecutionException.class, () -> future.get(10, TimeUnit.SECONDS));
        return assertThat(failure.getCause())
                .asInstanceOf(InstanceOfAssertFactories.type(ConnectionLostException.class))
                .actual();
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
