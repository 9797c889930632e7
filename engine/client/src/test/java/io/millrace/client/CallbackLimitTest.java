// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.command.Server;
import io.millrace.client.exception.RefusedException;
import io.millrace.testkit.Answer;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests the limit of callbacks that run at the same time. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class CallbackLimitTest {

    private static final int LIMIT = 4;

    /** Fewer permits than waiting calls: a waiting call that kept its permit would block {@code call}. */
    private static final int IN_FLIGHT = 8;

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    private final CountDownLatch replies = new CountDownLatch(1);

    private final FakeRedis server = FakeRedis.start(
            Handler.afterHandshake(command -> Answer.reply("+PONG\r\n").heldUntil(replies)));

    private final CountDownLatch release = new CountDownLatch(1);
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    private final List<CompletableFuture<?>> callbacks = new ArrayList<>();

    @AfterEach
    void close() {
        replies.countDown();
        release.countDown();
        server.close();
    }

    private RedisClient connect(Overflow overflow) {
        return clients.connect(
                WatchedClients.uri(server),
                options -> options.callbacks(LIMIT).inFlight(IN_FLIGHT).overflow(overflow));
    }

    /** Sends as many commands with a callback as the window allows. The replies arrive after that. */
    private void fill(RedisClient client, Function<String, ?> callback) {
        for (int i = 0; i < IN_FLIGHT; i++) {
            callbacks.add(client.send(Server.ping()).thenApply(callback));
        }
        replies.countDown();
        Eventually.await("the callbacks run", () -> running.get() == LIMIT);
        Eventually.await("all commands are answered", () -> client.counts().ok() == IN_FLIGHT);
        Eventually.await(
                "the waiting calls hold no permits",
                () -> client.stats().connections().getFirst().inFlight() == 0);
    }

    private String block(String reply) {
        most.accumulateAndGet(running.incrementAndGet(), Math::max);
        try {
            assertThat(release.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        running.decrementAndGet();
        return reply;
    }

    private void awaitCallbacks() throws Exception {
        for (CompletableFuture<?> callback : callbacks) {
            callback.get(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void callbacksBeyondTheLimitWaitUntilOthersEnd() throws Exception {
        try (RedisClient client = connect(Overflow.BLOCK)) {
            fill(client, this::block);
            long ended = callbacks.stream().filter(CompletableFuture::isDone).count();
            release.countDown();
            awaitCallbacks();

            assertThat(ended).isZero();
            assertThat(most.get()).isEqualTo(LIMIT);
            assertThat(log.warnings()).singleElement().asString().contains("callbacks=4");
            assertThat(client.send(Server.ping()).thenApply(reply -> reply).get(20, TimeUnit.SECONDS))
                    .isEqualTo("PONG");
        }
    }

    @Test
    void sendIsRefusedAtTheLimitAndCallIsNot() throws Exception {
        try (RedisClient client = connect(Overflow.REFUSE)) {
            fill(client, this::block);

            assertThatThrownBy(() -> client.send(Server.ping()).get(20, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(RefusedException.class)
                    .hasMessageContaining("phase=waiting for callbacks")
                    .hasMessageContaining("raise callbacks");
            assertThat(client.call(Server.ping())).isEqualTo("PONG");
            assertThat(client.counts().refused()).isOne();
            release.countDown();
            awaitCallbacks();
        }
    }

    @Test
    void sendWaitsAtTheLimitUntilNoCallbackWaits() throws Exception {
        try (RedisClient client = connect(Overflow.BLOCK)) {
            fill(client, this::block);
            assertThatThrownBy(() -> client.send(Server.ping().within(Duration.ofMillis(20)))
                            .get(20, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(RefusedException.class);
            CompletableFuture<String> sent = CompletableFuture.supplyAsync(
                    () -> client.send(Server.ping()).join(), Thread::startVirtualThread);
            release.countDown();

            assertThat(sent.get(20, TimeUnit.SECONDS)).isEqualTo("PONG");
            awaitCallbacks();
        }
    }

    @Test
    void callbacksAtTheLimitCanUseTheSameClient() throws Exception {
        try (RedisClient client = connect(Overflow.BLOCK)) {
            fill(client, reply -> {
                block(reply);
                return "%s %s"
                        .formatted(
                                client.call(Server.ping()),
                                client.send(Server.ping()).join());
            });
            // All running callbacks now call, and then send and wait, while other callbacks wait for a slot.
            release.countDown();

            for (CompletableFuture<?> callback : callbacks) {
                assertThat(callback.get(20, TimeUnit.SECONDS)).isEqualTo("PONG PONG");
            }
            assertThat(client.counts().refused()).isZero();
        }
    }

    @Test
    void chainsOfCommandsContinueAtTheLimit() throws Exception {
        try (RedisClient client = connect(Overflow.BLOCK)) {
            fill(client, this::block);
            release.countDown();
            List<CompletableFuture<Integer>> chains = new ArrayList<>();
            for (int i = 0; i < 3 * LIMIT; i++) {
                chains.add(chain(client, 100));
            }

            for (CompletableFuture<Integer> chain : chains) {
                assertThat(chain.get(20, TimeUnit.SECONDS)).isEqualTo(100);
            }
            awaitCallbacks();
            assertThat(client.counts().refused()).isZero();
        }
    }

    private static CompletableFuture<Integer> chain(RedisClient client, int left) {
        return left == 0
                ? CompletableFuture.completedFuture(0)
                : client.send(Server.ping())
                        .thenCompose(reply -> chain(client, left - 1))
                        .thenApply(length -> length + 1);
    }

    @Test
    void threadsOfAListenerThatBlocksAreLimited() throws Exception {
        int beyond = 64;
        CommandListener blocking = new CommandListener() {
            @Override
            public void ended(EndedCommand command) {
                if (command.name().equals("ECHO")) {
                    block("");
                }
            }
        };
        replies.countDown();
        try (RedisClient client = clients.connect(
                WatchedClients.uri(server), options -> options.callbacks(LIMIT).commandListener(blocking))) {
            for (int i = 0; i < 200; i++) {
                callbacks.add(client.send(Server.echo("e")));
            }
            // One more thread: the last one is not replaced, so it has no slot.
            Eventually.await("the limit is reached", () -> running.get() > LIMIT + beyond);
            for (int i = 0; i < 1_000; i++) {
                client.call(Server.ping());
            }
            release.countDown();
            awaitCallbacks();

            assertThat(most.get()).isEqualTo(LIMIT + beyond + 1);
        }
    }
}
