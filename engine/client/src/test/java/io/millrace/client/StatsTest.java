// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static io.millrace.client.ConnectionStats.Kind.BULK;
import static io.millrace.client.ConnectionStats.Kind.DEDICATED;
import static io.millrace.client.ConnectionStats.Kind.SHARED;
import static io.millrace.client.WatchedClients.uri;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.millrace.client.command.Command;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.command.Lists;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Server;
import io.millrace.client.exception.ConnectionLostException;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.client.exception.TimedOutException;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.Answer;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Tests the stats of a client. The stats count each command exactly once, for every kind of connection. The commands of
 * a closed connection stay counted.
 */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class StatsTest {

    private static final BulkListener NO_LISTENER = (tag, command, outcome) -> {};

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
    void countsOfAClientIncludeOpenAndClosedConnectionsOfEveryKind() throws Exception {
        try (RedisClient client = clients.connect(uri(server), options -> options.connections(2));
                BulkWriter writer = client.bulkWriter(BulkOptions.DEFAULT, NO_LISTENER);
                DedicatedConnection dedicated = client.borrow();
                Subscription subscription = client.subscribe(SubscribeOptions.channels("news"))) {
            use(client, dedicated, writer);
            ClientStats open = client.stats();

            dedicated.call(Command.of("CLIENT SETNAME", "not-to-be-lent-again"));
            dedicated.close();
            writer.close();
            ClientStats closed = client.stats();

            assertThat(subscription.isOpen()).isTrue();
            assertThat(open.counts()).isEqualTo(new CommandCounts(24, 21, 3, 0, 0, 0, 0));
            assertThat(open.connections().stream().map(ConnectionStats::kind))
                    .containsExactly(SHARED, SHARED, BULK, DEDICATED, DEDICATED);
            assertThat(open.connections()).allMatch(ConnectionStats::open);
            assertThat(sum(open)).isEqualTo(open.counts());
            assertThat(closed.counts()).isEqualTo(new CommandCounts(25, 22, 3, 0, 0, 0, 0));
            assertThat(closed.connections().stream().map(ConnectionStats::kind))
                    .containsExactly(SHARED, SHARED, DEDICATED);
            assertThat(client.counts()).isEqualTo(closed.counts());
        }
    }

    /** Runs 24 commands; 3 of them fail. */
    private static void use(RedisClient client, DedicatedConnection dedicated, BulkWriter writer) throws Exception {
        assertThat(client.call(Server.ping())).isEqualTo("PONG");
        assertThat(catchThrowable(() -> client.call(Command.of("NOSUCH")))).isNotNull();
        client.send(Server.ping()).get(60, TimeUnit.SECONDS);
        Pipeline pipeline = client.pipeline();
        for (int i = 0; i < 5; i++) {
            pipeline.add(Server.ping());
        }
        pipeline.run();
        Transaction transaction = client.transaction();
        for (int i = 0; i < 5; i++) {
            transaction.add(Server.ping());
        }
        transaction.run();
        dedicated.call(Server.ping());
        assertThat(catchThrowable(() -> dedicated.call(Command.of("NOSUCH")))).isNotNull();
        Pipeline own = dedicated.pipeline();
        own.add(Server.ping());
        own.add(Server.ping());
        own.run();
        assertThat(client.call(Lists.awaitLeft(Duration.ofMillis(1), "none"))).isEmpty();
        for (int i = 0; i < 9; i++) {
            writer.begin(Server.PING).end(i);
        }
        writer.begin(CommandSpec.of("NOSUCH", Replies::raw)).end(9);
        writer.finish();
    }

    private static CommandCounts sum(ClientStats stats) {
        return stats.connections().stream()
                .map(ConnectionStats::counts)
                .reduce(CommandCounts.NONE, CommandCounts::plus);
    }

    /**
     * The stats must count a reply before its caller receives it. The test unparks the callers all the time, so that a
     * caller can look for its outcome at any moment. Other commands are in flight, so that one read returns many
     * replies. Only the commands of the callers fail, so the count of errors shows whether a reply is missing.
     */
    @Test
    void statsContainEachReplyThatACallerHasReceived() throws Exception {
        AtomicInteger received = new AtomicInteger();
        AtomicReference<String> missing = new AtomicReference<>();
        try (RedisClient client = clients.connect(uri(server))) {
            Runnable caller = () -> {
                for (int i = 0; i < 1_000 && missing.get() == null; i++) {
                    assertThat(catchThrowable(() -> client.call(Command.of("NOSUCH"))))
                            .isInstanceOf(ErrorReplyException.class);
                    int atLeast = received.incrementAndGet();
                    long counted = client.counts().error();
                    if (counted < atLeast) {
                        missing.set(counted + " of " + atLeast + " replies are counted");
                    }
                }
            };
            List<Thread> callers = List.of(Thread.startVirtualThread(caller), Thread.startVirtualThread(caller));
            List<CompletableFuture<String>> others = new ArrayList<>();
            while (callers.stream().anyMatch(Thread::isAlive)) {
                for (int i = 0; i < 100; i++) {
                    others.add(client.send(Server.ping()));
                    callers.forEach(LockSupport::unpark);
                }
                others.forEach(CompletableFuture::join);
                others.clear();
            }
        }
        assertThat(missing).hasNullValue();
        assertThat(received).hasValue(2_000);
    }

    @Test
    void commandInFlightHoldsItsPermitUntilItsReplyEvenAfterItsTimeout() {
        CountDownLatch released = new CountDownLatch(1);
        try (FakeRedis fake = FakeRedis.start(Handler.afterHandshake(
                        command -> Answer.reply("+PONG\r\n").heldUntil(released)));
                RedisClient client = clients.connect(uri(fake))) {
            CompletableFuture<String> withDefaultTimeout = client.send(Server.ping());
            CompletableFuture<String> withShortTimeout =
                    client.send(Server.ping().within(Duration.ofMillis(50)));
            assertThatThrownBy(withShortTimeout::join).hasCauseInstanceOf(TimedOutException.class);

            ClientStats held = client.stats();
            released.countDown();
            withDefaultTimeout.join();
            Eventually.await("all permits are free", () -> only(client).inFlight() == 0);

            assertThat(held.counts()).isEqualTo(new CommandCounts(2, 0, 0, 1, 0, 0, 1));
            assertThat(held.connections().getFirst().inFlight()).isEqualTo(2);
            assertThat(held.connections().getFirst().bytesInFlight()).isPositive();
            assertThat(client.stats().counts()).isEqualTo(new CommandCounts(2, 1, 0, 1, 0, 0, 0));
            assertThat(client.stats().lateReplies()).isEqualTo(1);
            assertThat(only(client).bytesInFlight()).isZero();
        }
    }

    private static ConnectionStats only(RedisClient client) {
        return client.stats().connections().getFirst();
    }

    @Test
    void reconnectionIsCountedAndKeepsTheCommandCounts() {
        try (RedisClient client = clients.connect(uri(server))) {
            client.call(Server.ping());
            assertThat(catchThrowable(() -> client.call(Command.of("CLIENT KILL", "TYPE", "normal", "SKIPME", "no"))))
                    .satisfiesAnyOf(
                            failure -> assertThat(failure).isNull(),
                            failure -> assertThat(failure).isInstanceOf(ConnectionLostException.class));
            Eventually.await(
                    "the connection is replaced", () -> client.stats().reconnections() == 1 && client.isOpen());

            client.call(Server.ping());

            assertThat(client.counts().submitted()).isEqualTo(3);
            assertThat(client.stats().connections()).hasSize(1);
            assertThat(only(client).reconnections()).isEqualTo(1);
        }
    }

    @Test
    void countsNeverDecreaseWhileConnectionsAreOpenedAndClosed() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        AtomicReference<String> wrong = new AtomicReference<>("");
        try (RedisClient client = clients.connect(uri(server), options -> options.poolSize(8))) {
            Thread reader = Thread.ofPlatform().start(() -> {
                CommandCounts last = CommandCounts.NONE;
                while (!over.get()) {
                    CommandCounts now = client.counts();
                    if (now.submitted() < last.submitted() || now.ok() < last.ok() || now.pending() < 0) {
                        wrong.set(last + " then " + now);
                    }
                    last = now;
                }
            });
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                threads.add(Thread.ofVirtual().start(() -> {
                    for (int k = 0; k < 25; k++) {
                        try (DedicatedConnection connection = client.borrow()) {
                            connection.call(Server.ping());
                            connection.call(Command.of("CLIENT SETNAME", "not-to-be-lent-again"));
                        }
                        client.call(Server.ping());
                    }
                }));
            }
            for (Thread thread : threads) {
                thread.join();
            }
            over.set(true);
            reader.join();

            assertThat(wrong.get()).isEmpty();
            assertThat(client.counts()).isEqualTo(new CommandCounts(600, 600, 0, 0, 0, 0, 0));
            assertThat(client.stats().connections()).hasSize(1);
        }
    }

    @Test
    void commandsOnAClosedClientAreCountedAsLost() {
        RedisClient client = clients.connect(uri(server));
        DedicatedConnection connection = client.borrow();
        client.close();

        assertThatThrownBy(() -> client.call(Server.ping())).isInstanceOf(ConnectionLostException.class);
        assertThatThrownBy(() -> connection.call(Server.ping())).isInstanceOf(ConnectionLostException.class);
        assertThatThrownBy(() -> client.call(Lists.awaitLeft(Duration.ofSeconds(1), "none")))
                .isInstanceOf(ConnectionLostException.class);
        connection.close();

        assertThat(client.counts()).isEqualTo(new CommandCounts(3, 0, 0, 0, 0, 3, 0));
    }

    /** The load is spread over the connections, and each thread keeps its connection. */
    @Test
    void threadsAreSpreadOverTheConnectionsAndEachThreadKeepsItsConnection() throws InterruptedException {
        try (RedisClient client = clients.connect(uri(server), options -> options.connections(2))) {
            Set<Long> seen = ConcurrentHashMap.newKeySet();
            AtomicInteger changed = new AtomicInteger();
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                threads.add(Thread.startVirtualThread(() -> {
                    long first = client.call(Server.clientId());
                    long second = client.call(Server.clientId());
                    seen.add(first);
                    changed.addAndGet(first == second ? 0 : 1);
                }));
            }
            for (Thread thread : threads) {
                thread.join();
            }

            assertThat(seen).hasSize(2);
            assertThat(changed).hasValue(0);
        }
    }
}
