// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.ClientOptions;
import io.millrace.client.CommandCounts;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Command;
import io.millrace.client.command.Lists;
import io.millrace.client.command.Server;
import io.millrace.client.internal.time.ClockAndRandom;
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
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Tests how callers and the writer thread pass the sending role to each other, in random interleavings. The sending
 * role is the right to send on a shared connection. A thread that releases the sending role must not leave an unsent
 * submission in the queue.
 */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class SendingRoleTest {

    private static final int CALLERS = 4;
    private static final int COMMANDS = Integer.getInteger("millrace.roleCommands", 20_000);
    private static final int ROUNDS = Integer.getInteger("millrace.sendingRoleRounds", 5_000);

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

    /**
     * In each round all callers submit one command each, at about the same time. The next round begins only when every
     * caller has its reply. So no submission of a later round can cause a forgotten submission to be sent. If a
     * submission is left in the queue, its caller times out and the test fails.
     */
    @Test
    @Timeout(value = 15, unit = TimeUnit.MINUTES)
    void noSubmissionStaysUnsentWhenCallersSubmitAtTheSameTime() throws Exception {
        System.out.println("seed: " + seed);
        CyclicBarrier barrier = new CyclicBarrier(CALLERS);
        try (Engine engine = connect()) {
            runCallers(random -> {
                for (int round = 0; round < ROUNDS && failures.isEmpty(); round++) {
                    barrier.await(60, TimeUnit.SECONDS);
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
    @Timeout(value = 15, unit = TimeUnit.MINUTES)
    void commandsOfEachThreadStayInOrderWhenOtherThreadsSendThem() throws Exception {
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
        // If a submission is left in the queue, the test detects this only when the submission times out.
        return new Engine(
                ClientOptions.builder(RedisUri.of(server.host(), server.port()))
                        .connectTimeout(Duration.ofSeconds(60))
                        .commandTimeout(Duration.ofSeconds(20))
                        .inFlight(64)
                        .build(),
                ClockAndRandom.SYSTEM);
    }

    private interface Caller {

        void run(Random random) throws Exception;
    }

    /** Runs the callers, half of them on virtual threads, and waits until all callers end. */
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

    /**
     * Pushes numbers to a list. For a quarter of the pushes, chosen at random, the method waits for the reply, so that
     * the connection becomes idle. After some pushes, also chosen at random, the method pauses for about the time of a
     * reply. The two choices are independent.
     */
    private static void push(Engine engine, String key, int count, Random random) throws Exception {
        List<CompletableFuture<Long>> sent = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Command<Long> push = Lists.pushRight(key, Integer.toString(i));
            switch (random.nextInt(8)) {
                case 0 -> engine.call(push);
                case 1 -> engine.send(push, null).get();
                default -> sent.add(engine.send(push, null));
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
