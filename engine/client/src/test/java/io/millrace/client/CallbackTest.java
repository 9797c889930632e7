// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.AccountCheck;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** User code that blocks where a future was completed. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class CallbackTest {

    private static final int CALLBACKS = 10;

    /** Shorter than a callback blocks: whatever waited for one would time out. */
    private static final Duration TIMEOUT = Duration.ofMillis(900);

    /** Far more than a command takes on a busy machine, far less than a callback blocks. */
    private static final Duration NOT_DELAYED = Duration.ofMillis(500);

    private static EmbeddedRedis server;

    @RegisterExtension
    final AccountCheck accounts = new AccountCheck();

    /** When the callback is hung on its future. */
    enum Attached {
        /** While the reply is on its way, as far as that can be said. */
        AT_ONCE,
        /** At a random moment around its completion. */
        IN_A_RACE,
        /** After its completion: then it runs where it is attached. */
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
    void tenCallbacksThatBlockForASecondAllEndWellAndDelayNobody(Attached attached) throws Exception {
        long seed = Long.getLong("millrace.seed", System.nanoTime());
        System.out.println("seed: " + seed);
        Random random = new Random(seed);
        try (RedisClient client = RedisClient.connect(ClientOptions.builder(RedisUri.of(server.host(), server.port()))
                        .commandTimeout(TIMEOUT)
                        // So few that those who blocked would soon have them all.
                        .inFlight(4)
                        .build());
                ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            accounts.watch("client", () -> AccountFigures.of(client.counts()));
            AtomicBoolean over = new AtomicBoolean();
            AtomicLong longest = new AtomicLong();
            List<Future<Long>> others = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                others.add(executor.submit(() -> callUntil(over, client, longest)));
            }

            List<Future<Boolean>> callbacks = new ArrayList<>();
            for (int i = 0; i < CALLBACKS; i++) {
                long pause = random.nextInt(300_000);
                callbacks.add(executor.submit(() -> {
                    CompletableFuture<String> future = client.send(Server.ping());
                    awaitMoment(attached, future, pause);
                    return future.thenApply(CallbackTest::block).get(20, TimeUnit.SECONDS);
                }));
            }
            for (Future<Boolean> callback : callbacks) {
                assertThat(callback.get(20, TimeUnit.SECONDS)).isTrue();
            }
            over.set(true);
            long calls = CALLBACKS;
            for (Future<Long> other : others) {
                calls += other.get(20, TimeUnit.SECONDS);
            }

            assertThat(Duration.ofNanos(longest.get())).isLessThan(NOT_DELAYED);
            assertThat(client.counts()).isEqualTo(new CommandCounts(calls, calls, 0, 0, 0, 0, 0));
        }
    }

    private static long callUntil(AtomicBoolean over, RedisClient client, AtomicLong longest) throws Exception {
        long calls = 0;
        while (!over.get()) {
            long before = System.nanoTime();
            if (calls++ % 2 == 0) {
                client.call(Server.ping());
            } else {
                client.send(Server.ping()).get();
            }
            longest.accumulateAndGet(System.nanoTime() - before, Math::max);
        }
        return calls;
    }

    private static void awaitMoment(Attached attached, CompletableFuture<String> future, long pauseNanos) {
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

    private static boolean block(String reply) {
        try {
            return reply.equals("PONG") && !new CountDownLatch(1).await(1, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            return false;
        }
    }
}
