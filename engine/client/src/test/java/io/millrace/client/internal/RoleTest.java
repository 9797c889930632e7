// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.ClientOptions;
import io.millrace.client.Command;
import io.millrace.client.CommandCounts;
import io.millrace.client.Lists;
import io.millrace.client.RedisUri;
import io.millrace.client.Server;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The sending role passes between callers and the writer at every moment: whoever leaves it leaves nothing behind. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class RoleTest {

    private static final int CALLERS = 4;
    private static final int COMMANDS = Integer.getInteger("millrace.roleCommands", 80_000);
    private static final int ROUNDS = Integer.getInteger("millrace.roleRounds", 25_000);

    private static EmbeddedRedis server;

    private final long seed = Long.getLong("millrace.seed", System.nanoTime());
    private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();

    @BeforeAll
    static void startServer() {
        server = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    /** Nobody adds anything more until all of a round have their reply: who is left behind is not rescued by the next one. */
    @Test
    void noneOfThoseWhoAddAtTheSameMomentIsLeftBehind() throws Exception {
        System.out.println("seed: " + seed);
        CyclicBarrier barrier = new CyclicBarrier(CALLERS);
        try (Engine engine = connect()) {
            runCallers(random -> {
                for (int round = 0; round < ROUNDS && failures.isEmpty(); round++) {
                    barrier.await(10, TimeUnit.SECONDS);
                    spin(random.nextInt(10_000));
                    engine.call(Server.ping());
                }
            });

            assertThat(failures).isEmpty();
            long all = (long) ROUNDS * CALLERS;
            assertThat(engine.counts()).isEqualTo(new CommandCounts(all, all, 0, 0, 0, 0, 0));
        }
    }

    @Test
    void theCommandsOfEachThreadStayInOrderWhoeverSendsThem() throws Exception {
        System.out.println("seed: " + seed);
        int each = COMMANDS / CALLERS;
        ConcurrentLinkedQueue<String> keys = new ConcurrentLinkedQueue<>();
        try (Engine engine = connect()) {
            runCallers(random -> {
                String key = "list of " + Thread.currentThread().threadId();
                keys.add(key);
                push(engine, key, each, random);
            });

            assertThat(failures).isEmpty();
            List<String> expected =
                    IntStream.range(0, each).mapToObj(Integer::toString).toList();
            assertThat(keys)
                    .hasSize(CALLERS)
                    .allSatisfy(key ->
                            assertThat(engine.call(Lists.range(key, 0, -1))).isEqualTo(expected));
        }
    }

    private static Engine connect() {
        // What was left behind would be found by its deadline, and by nobody else.
        return new Engine(
                ClientOptions.builder(RedisUri.of(server.host(), server.port()))
                        .commandTimeout(Duration.ofSeconds(3))
                        .inFlight(64)
                        .build(),
                Surroundings.SYSTEM);
    }

    private interface Caller {

        void run(Random random) throws Exception;
    }

    /** Half of them on virtual threads. */
    private void runCallers(Caller caller) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int number = 0; number < CALLERS; number++) {
            Random random = new Random(seed + number);
            Runnable running = () -> {
                try {
                    caller.run(random);
                } catch (Exception e) {
                    failures.add(e);
                }
            };
            threads.add(
                    number % 2 == 0
                            ? Thread.ofVirtual().start(running)
                            : Thread.ofPlatform().start(running));
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    /** Sometimes waits for the reply, so that the connection falls idle; sometimes for a moment that is as long. */
    private static void push(Engine engine, String key, int count, Random random) throws Exception {
        List<CompletableFuture<Long>> sent = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Command<Long> push = Lists.pushRight(key, Integer.toString(i));
            switch (random.nextInt(8)) {
                case 0 -> engine.call(push);
                case 1 -> engine.send(push).get();
                default -> sent.add(engine.send(push));
            }
            if (random.nextInt(4) == 0) {
                spin(random.nextInt(30_000));
            } else if (random.nextInt(200) == 0) {
                LockSupport.parkNanos(random.nextInt(300_000));
            }
        }
        for (CompletableFuture<Long> future : sent) {
            future.get();
        }
    }

    private static void spin(long nanos) {
        for (long end = System.nanoTime() + nanos; System.nanoTime() - end < 0; ) {
            Thread.onSpinWait();
        }
    }
}
