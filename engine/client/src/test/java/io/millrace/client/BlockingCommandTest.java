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
import io.millrace.client.command.PopResult;
import io.millrace.client.command.Server;
import io.millrace.client.command.StreamEntry;
import io.millrace.client.command.StreamRead;
import io.millrace.client.command.Streams;
import io.millrace.client.exception.ConnectionLostException;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.client.exception.RefusedException;
import io.millrace.client.exception.TimedOutException;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests blocking commands such as BLPOP, which wait on the server. Each blocking command uses a dedicated connection,
 * so that it does not delay other commands.
 */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class BlockingCommandTest {

    private static final Duration LONG = Duration.ofSeconds(60);

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
    void blockingCommandMayWaitLongerThanTheCommandTimeout(Protocol protocol) throws Exception {
        try (RedisClient control = clients.connect(uri(server));
                RedisClient client = clients.connect(
                        uri(server), options -> options.protocol(protocol).commandTimeout(Duration.ofSeconds(1)))) {
            CompletableFuture<Optional<PopResult<String, String>>> popped =
                    inBackground(() -> client.call(Lists.awaitLeft(LONG, "list")));
            CompletableFuture<Map<String, List<StreamEntry<String>>>> read = inBackground(
                    () -> client.call(Streams.read(StreamRead.of("stream", "$").waiting(LONG))));
            awaitBlocked(control, 2);
            long begin = System.nanoTime();
            Eventually.await(
                    "the timeout without the wait has passed",
                    () -> System.nanoTime() - begin > TimeUnit.MILLISECONDS.toNanos(1_100));

            control.call(Lists.pushRight("list", "element"));
            control.call(Streams.add("stream", Map.of("field", "value")));

            assertThat(popped.get(60, TimeUnit.SECONDS)).hasValue(new PopResult<>("list", "element"));
            assertThat(read.get(60, TimeUnit.SECONDS)).containsOnlyKeys("stream");
        }
    }

    @Test
    void blockingCommandReturnsAnEmptyReplyWhenItsWaitExpires() {
        try (RedisClient client = clients.connect(uri(server))) {
            long before = System.nanoTime();

            Optional<PopResult<String, String>> nothing = client.call(Lists.awaitLeft(Duration.ofMillis(200), "none"));

            assertThat(nothing).isEmpty();
            assertThat(Duration.ofNanos(System.nanoTime() - before)).isBetween(Duration.ofMillis(200), TIMEOUT);
            assertThat(client.counts()).isEqualTo(new CommandCounts(1, 1, 0, 0, 0, 0, 0));
        }
    }

    @Test
    void interruptedBlockingCommandFreesItsConnectionAndPopsNoElementLater() throws Exception {
        try (RedisClient client = clients.connect(uri(server), options -> options.poolSize(1))) {
            CompletableFuture<Throwable> thrown = new CompletableFuture<>();
            Thread waiter = Thread.ofVirtual()
                    .start(() -> thrown.complete(catchThrowable(() -> client.call(Lists.awaitLeft(LONG, "list")))));
            awaitBlocked(client, 1);

            waiter.interrupt();

            assertThat(thrown.get(60, TimeUnit.SECONDS)).isInstanceOf(InterruptedCommandException.class);
            awaitBlocked(client, 0);
            client.call(Lists.pushRight("list", "element"));
            assertThat(client.call(Lists.awaitLeft(LONG, "list"))).hasValue(new PopResult<>("list", "element"));
        }
    }

    @Test
    void timedOutBlockingCommandDoesNotStayBlockedOnTheServer() {
        try (RedisClient client = clients.connect(uri(server), options -> options.poolSize(1))) {
            Command<?> forever = Command.of("BLPOP", "list", 0).within(Duration.ofSeconds(1));

            assertThatThrownBy(() -> client.call(forever)).isInstanceOf(TimedOutException.class);

            awaitBlocked(client, 0);
            client.call(Lists.pushRight("list", "element"));
            assertThat(client.call(Lists.popLeft("list"))).hasValue("element");
        }
    }

    @Test
    void waitForADedicatedConnectionIsLimitedByTheCommandTimeout() throws Exception {
        try (RedisClient control = clients.connect(uri(server));
                RedisClient client = clients.connect(
                        uri(server), options -> options.poolSize(1).commandTimeout(Duration.ofSeconds(1)))) {
            CompletableFuture<?> first = inBackground(() -> client.call(Lists.awaitLeft(LONG, "list")));
            awaitBlocked(control, 1);
            long before = System.nanoTime();

            RefusedException refused =
                    catchThrowableOfType(RefusedException.class, () -> client.call(Lists.awaitLeft(LONG, "other")));

            assertThat(Duration.ofNanos(System.nanoTime() - before)).isBetween(Duration.ofSeconds(1), TIMEOUT);
            assertThat(refused).hasMessageContainingAll("total=1", "active=1", "limit=1", "BlockingCommandTest");
            control.call(Lists.pushRight("list", "element"));
            first.get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void sharedConnectionWorksWhileAllDedicatedConnectionsAreBlocked() throws Exception {
        int takers = 12;
        ConcurrentLinkedQueue<String> taken = new ConcurrentLinkedQueue<>();
        List<CompletableFuture<Boolean>> all = new ArrayList<>();
        try (RedisClient client = clients.connect(uri(server), options -> options.poolSize(2))) {
            for (int i = 0; i < takers; i++) {
                all.add(inBackground(() -> taken.add(
                        client.call(Lists.awaitLeft(LONG, "work")).orElseThrow().element())));
            }
            awaitBlocked(client, 2);

            for (int i = 0; i < takers; i++) {
                assertThat(client.call(Server.ping())).isEqualTo("PONG");
                client.call(Lists.pushRight("work", "element " + i));
            }
            CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);

            assertThat(taken).hasSize(takers).doesNotHaveDuplicates();
            assertThat(client.stats().connections()).hasSizeLessThanOrEqualTo(3);
        }
    }

    @Test
    void blockingCommandOnAKilledConnectionIsLostAndFreesItsPoolSlot() throws Exception {
        try (RedisClient client = clients.connect(uri(server), options -> options.poolSize(1))) {
            CompletableFuture<?> waiter = inBackground(() -> client.call(Lists.awaitLeft(LONG, "list")));
            awaitBlocked(client, 1);

            client.call(Command.of("CLIENT KILL", "TYPE", "normal", "SKIPME", "yes"));

            assertThatThrownBy(() -> waiter.get(60, TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOfSatisfying(
                            ConnectionLostException.class,
                            lost -> assertThat(lost.maybeExecuted()).isTrue());
            assertThat(client.call(Lists.awaitLeft(Duration.ofMillis(50), "list")))
                    .isEmpty();
        }
    }

    private interface Call<T> {
        T run();
    }

    private static <T> CompletableFuture<T> inBackground(Call<T> call) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                result.complete(call.run());
            } catch (Throwable e) {
                result.completeExceptionally(e);
            }
        });
        return result;
    }

    private static void awaitBlocked(RedisClient client, int count) {
        Eventually.await(
                "clients blocked on the server: " + count,
                () -> client.call(Server.info("clients")).contains("blocked_clients:" + count + "\r"));
    }
}
