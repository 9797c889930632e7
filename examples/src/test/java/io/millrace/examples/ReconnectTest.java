// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.client.BulkOptions;
import io.millrace.client.BulkWriter;
import io.millrace.client.ClientOptions;
import io.millrace.client.Command;
import io.millrace.client.CommandCounts;
import io.millrace.client.ConnectionLostException;
import io.millrace.client.DedicatedConnection;
import io.millrace.client.InterruptedCommandException;
import io.millrace.client.Lists;
import io.millrace.client.Message;
import io.millrace.client.Outcome;
import io.millrace.client.Pipeline;
import io.millrace.client.PubSub;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.Result;
import io.millrace.client.Server;
import io.millrace.client.Strings;
import io.millrace.client.Subscription;
import io.millrace.client.TimedOutException;
import io.millrace.client.Topics;
import io.millrace.client.Transaction;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.Direction;
import io.millrace.testkit.Ending;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.Faults;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.Refusal;
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

/** What docs/delivery.md says of lost connections. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class ReconnectTest {

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** More than the buffers of all sockets on the way hold. */
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
    void whatWasSentIsLostUnlessItOnlyReadsOrWasMarked() throws Exception {
        try (RedisClient client = RedisClient.connect(options().build())) {
            proxy.stall(Direction.TO_CLIENT);
            CompletableFuture<Optional<String>> get = client.send(Strings.get("a"));
            CompletableFuture<String> set = client.send(Strings.set("b", "1").idempotently());
            CompletableFuture<Long> increment = client.send(Strings.increment("a"));
            while (direct.call(Strings.get("a")).isEmpty()) {
                Thread.onSpinWait();
            }

            proxy.disconnectAll(Ending.RESET);
            proxy.resume(Direction.TO_CLIENT);

            assertThat(lossOf(increment).maybeExecuted()).isTrue();
            assertThat(set.get(10, TimeUnit.SECONDS)).isEqualTo("OK");
            // It was read a second time, after what came behind it had been executed.
            assertThat(get.get(10, TimeUnit.SECONDS)).hasValue("1");
            assertThat(direct.call(Strings.get("a"))).hasValue("1");
            assertThat(client.counts()).isEqualTo(new CommandCounts(3, 2, 0, 0, 0, 1, 0));
        }
    }

    @Test
    void whatTheOperatingSystemHadNotTakenAsAWholeIsSentAgainInOrder() throws Exception {
        try (RedisClient client =
                RedisClient.connect(options().inFlightBytes(1L << 30).build())) {
            long sentBefore = slowDown();
            CompletableFuture<Long> first = client.send(Lists.pushRight("list", LARGE));
            CompletableFuture<Long> second = client.send(Lists.pushRight("list", "end"));
            proxy.awaitForwarded(Direction.TO_SERVER, sentBefore + 1_000_000, PATIENCE);

            proxy.disconnectAll(Ending.RESET);
            proxy.faults(Faults.NONE);

            assertThat(first.get(10, TimeUnit.SECONDS)).isEqualTo(1);
            assertThat(second.get(10, TimeUnit.SECONDS)).isEqualTo(2);
            assertThat(direct.call(Lists.range("list", 1, -1))).containsExactly("end");
            assertThat(client.account().reconnections()).isEqualTo(1);
        }
    }

    @Test
    void aTransactionWhoseLastByteWasNotTakenIsSentAgain() throws Exception {
        try (RedisClient client = RedisClient.connect(options().build())) {
            long sentBefore = slowDown();
            Transaction transaction = client.transaction();
            Result<Long> pushed = transaction.add(Lists.pushRight("list", LARGE));
            CompletableFuture<Transaction.Ending> ending = CompletableFuture.supplyAsync(transaction::run);
            proxy.awaitForwarded(Direction.TO_SERVER, sentBefore + 1_000_000, PATIENCE);

            proxy.disconnectAll(Ending.RESET);
            proxy.faults(Faults.NONE);

            assertThat(ending.get(10, TimeUnit.SECONDS)).isEqualTo(Transaction.Ending.EXECUTED);
            assertThat(pushed.value()).isEqualTo(1);
            assertThat(direct.call(Lists.size("list"))).isEqualTo(1);
        }
    }

    @Test
    void whatTimesOutBeforeThereIsAConnectionIsNeverSent() {
        try (RedisClient client = RedisClient.connect(options().build())) {
            proxy.refuseConnections(Refusal.CLOSED_PORT);
            proxy.disconnectAll(Ending.RESET);
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
    void aLoginThatIsNoLongerAcceptedEndsTheClientForGood() throws Exception {
        direct.call(Command.of("ACL SETUSER", "u", "on", ">secret", "~*", "+@all"));
        RedisUri uri = RedisUri.of(proxy.host(), proxy.port()).withLogin("u", "secret");
        try (RedisClient client = RedisClient.connect(ClientOptions.builder(uri)
                .connections(1)
                .commandTimeout(PATIENCE)
                .build())) {
            direct.call(Command.of("ACL DELUSER", "u"));
            proxy.disconnectAll(Ending.RESET);
            awaitLoss(client);

            ConnectionLostException lost =
                    catchThrowableOfType(ConnectionLostException.class, () -> client.call(Server.ping()));

            assertThat(lost.maybeExecuted()).isFalse();
            assertThat(lost).hasMessageContaining("WRONGPASS").hasMessageNotContaining("secret");
            assertThat(client.isOpen()).isFalse();
        }
    }

    @Test
    void aDedicatedConnectionIsNotReplaced() {
        try (RedisClient client = RedisClient.connect(options().build())) {
            try (DedicatedConnection connection = client.borrow()) {
                proxy.disconnectAll(Ending.RESET);

                assertThatThrownBy(() -> connection.call(Strings.get("a"))).isInstanceOf(ConnectionLostException.class);
                assertThat(connection.isOpen()).isFalse();
            }
            try (DedicatedConnection another = client.borrow()) {
                assertThat(another.call(Strings.get("a"))).isEmpty();
            }
        }
    }

    @Test
    void aBulkWriterIsNotReplacedAndSendsNothingAgain() {
        List<Outcome> outcomes = new ArrayList<>();
        try (RedisClient client = RedisClient.connect(options().build());
                BulkWriter writer =
                        client.bulkWriter(BulkOptions.DEFAULT, (tag, command, outcome) -> outcomes.add(outcome))) {
            proxy.stall(Direction.TO_SERVER);
            writer.begin(Strings.GET).arg("a").end(1);
            writer.flush();
            proxy.disconnectAll(Ending.RESET);

            writer.finish();
            writer.begin(Strings.GET).arg("a").end(2);

            assertThat(outcomes).hasSize(2).allMatch(outcome -> outcome instanceof Outcome.Lost);
            assertThat(((Outcome.Lost) outcomes.getLast()).maybeExecuted()).isFalse();
            assertThat(writer.isOpen()).isFalse();
        }
    }

    @Test
    void aBlockingCommandThatIsInterruptedTakesItsConnectionWithIt() throws Exception {
        try (RedisClient client = RedisClient.connect(options().build())) {
            CompletableFuture<Throwable> failure = new CompletableFuture<>();
            Thread consumer = Thread.ofVirtual().start(() -> {
                try {
                    client.call(Lists.awaitLeft(Duration.ofMinutes(1), "list"));
                } catch (InterruptedCommandException e) {
                    failure.complete(e);
                }
            });
            proxy.awaitAccepted(2, PATIENCE);

            consumer.interrupt();
            InterruptedCommandException interrupted = (InterruptedCommandException) failure.get(10, TimeUnit.SECONDS);
            proxy.awaitOpen(1, PATIENCE);

            assertThat(interrupted.maybeExecuted()).isTrue();
            consumer.join();
        }
    }

    @Test
    void aSubscriptionComesBackAndCountsTheGap() {
        try (RedisClient client = RedisClient.connect(options().build());
                Subscription subscription =
                        client.subscribe(Topics.channels("news").withBuffer(2))) {
            proxy.disconnectAll(Ending.RESET);
            do {
                direct.call(PubSub.publish("news", "back?"));
            } while (subscription.poll(Duration.ofMillis(20)).isEmpty());
            while (subscription.poll(Duration.ofMillis(50)).isPresent()) {
                // That was the last of them.
            }
            for (String text : List.of("one", "two", "three")) {
                direct.call(PubSub.publish("news", text));
            }
            while (subscription.dropped() == 0) {
                Thread.onSpinWait();
            }

            assertThat(subscription.poll(PATIENCE).map(Message::text)).hasValue("two");
            assertThat(subscription.gaps()).isEqualTo(1);
            assertThat(client.counts()).isEqualTo(CommandCounts.NONE);
        }
    }

    @Test
    void everyCommandOfAPipelineIsLostOrSentAgainByItself() {
        try (RedisClient client = RedisClient.connect(options().build())) {
            proxy.stall(Direction.TO_CLIENT);
            Pipeline pipeline = client.pipeline();
            Result<Long> increment = pipeline.add(Strings.increment("a"));
            Result<Optional<String>> get = pipeline.add(Strings.get("a"));
            Thread runner = Thread.ofVirtual().start(pipeline::run);
            while (direct.call(Strings.get("a")).isEmpty()) {
                Thread.onSpinWait();
            }

            proxy.disconnectAll(Ending.RESET);
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
                .commandTimeout(PATIENCE);
    }

    /** Lets the proxy take ten megabytes a second from now on, and returns how much it had taken. */
    private long slowDown() {
        proxy.faults(Direction.TO_SERVER, Faults.NONE.withBytesPerSecond(10_000_000));
        return proxy.forwardedBytes(Direction.TO_SERVER);
    }

    private static void awaitLoss(RedisClient client) {
        while (client.isOpen()) {
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
