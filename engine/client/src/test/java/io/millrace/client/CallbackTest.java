// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.Server;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.StatsCheck;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests callbacks that block the thread that completes their future. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class CallbackTest {

    private static final int CALLBACKS = 10;

    /** Number of calls that each of the other callers makes while all callbacks are blocked. */
    private static final int CALLS = 200;

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private static EmbeddedRedis server;

    @RegisterExtension
    final StatsCheck stats = new StatsCheck();

    /** The time at which the callback is attached to its future. */
    enum Attached {
        /** Directly after the command is sent, in most cases before its reply arrives. */
        AT_ONCE,
        /** At a random time, shortly before or after the completion of the future. */
        IN_A_RACE,
        /** After the completion of the future. The callback then runs on the thread that attaches the callback. */
        LATE
    }

    @BeforeAll
    static void startServer() {
        server = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @ParameterizedTest
    @EnumSource(Attached.class)
    void blockingCallbacksAllCompleteAndDoNotDelayOtherCallers(Attached attached) throws Exception {
        long seed = Long.getLong("millrace.seed", System.nanoTime());
        System.out.println("seed: " + seed);
        Random random = new Random(seed);
        try (RedisClient client = RedisClient.connect(ClientOptions.builder(RedisUri.of(server.host(), server.port()))
                        .connectTimeout(Duration.ofSeconds(60))
                        .commandTimeout(TIMEOUT)
                        // There are fewer permits than callbacks. If a blocked callback held a permit, the other
                        // callers would not get one.
                        .inFlight(4)
                        .build());
                ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            stats.watch("client", () -> StatsAdapter.of(client.counts()));
            CountDownLatch blocked = new CountDownLatch(CALLBACKS);
            CountDownLatch release = new CountDownLatch(1);
            List<Future<Boolean>> callbacks = new ArrayList<>();
            for (int i = 0; i < CALLBACKS; i++) {
                long pause = random.nextInt(300_000);
                callbacks.add(executor.submit(() -> {
                    CompletableFuture<String> future = client.send(Server.ping());
                    awaitAttachTime(attached, future, pause);
                    return future.thenApply(reply -> block(reply, blocked, release))
                            .get(60, TimeUnit.SECONDS);
                }));
            }
            assertThat(blocked.await(60, TimeUnit.SECONDS)).isTrue();

            List<Future<?>> others = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                others.add(executor.submit(() -> call(client)));
            }
            for (Future<?> other : others) {
                other.get(60, TimeUnit.SECONDS);
            }
            boolean allStillBlocked = callbacks.stream().noneMatch(Future::isDone);
            release.countDown();

            assertThat(allStillBlocked).isTrue();
            for (Future<Boolean> callback : callbacks) {
                assertThat(callback.get(60, TimeUnit.SECONDS)).isTrue();
            }
            long calls = CALLBACKS + 3L * CALLS;
            assertThat(client.counts()).isEqualTo(new CommandCounts(calls, calls, 0, 0, 0, 0, 0));
        }
    }

    private static void call(RedisClient client) {
        for (int i = 0; i < CALLS; i++) {
            if (i % 2 == 0) {
                client.call(Server.ping());
            } else {
                client.send(Server.ping()).join();
            }
        }
    }

    private static void awaitAttachTime(Attached attached, CompletableFuture<String> future, long pauseNanos) {
        switch (attached) {
            case AT_ONCE -> {}
            case LATE -> assertThat(future.join()).isEqualTo("PONG");
            case IN_A_RACE -> {
                for (long end = System.nanoTime() + pauseNanos; System.nanoTime() - end < 0; ) {
                    Thread.onSpinWait();
                }
            }
        }
    }

    private static boolean block(String reply, CountDownLatch blocked, CountDownLatch release) {
        blocked.countDown();
        try {
            return release.await(60, TimeUnit.SECONDS) && reply.equals("PONG");
        } catch (InterruptedException e) {
            return false;
        }
    }
}
