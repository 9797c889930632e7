// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class WindowTest {

    private static final int COMMANDS = 100;
    private static final long BYTES = 10_000;
    private static final long LONG = TimeUnit.SECONDS.toNanos(30);

    private final Window window = new Window(COMMANDS, BYTES);

    @Test
    void whatIsTakenStaysWithinBothLimitsAndAllOfItComesBack() throws Exception {
        long seed = Long.getLong("millrace.seed", System.nanoTime());
        System.out.println("seed: " + seed);
        AtomicInteger commands = new AtomicInteger();
        AtomicLong bytes = new AtomicLong();
        AtomicInteger beyond = new AtomicInteger();
        AtomicInteger without = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int thread = 0; thread < 32; thread++) {
            Random random = new Random(seed + thread);
            threads.add(Thread.ofVirtual().start(() -> {
                for (int i = 0; i < 5_000; i++) {
                    int ownCommands = 1 + random.nextInt(random.nextInt(20) == 0 ? COMMANDS : 5);
                    long ownBytes = 1L + random.nextInt(random.nextInt(20) == 0 ? (int) BYTES : 500);
                    if (!take(random, window.cost(ownCommands, ownBytes))) {
                        without.incrementAndGet();
                        continue;
                    }
                    if (commands.addAndGet(ownCommands) > COMMANDS || bytes.addAndGet(ownBytes) > BYTES) {
                        beyond.incrementAndGet();
                    }
                    LockSupport.parkNanos(1_000);
                    commands.addAndGet(-ownCommands);
                    bytes.addAndGet(-ownBytes);
                    window.release(window.cost(ownCommands, ownBytes));
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(beyond).hasValue(0);
        assertThat(without).hasPositiveValue();
        assertThat(window.commandsTaken()).isZero();
        assertThat(window.bytesTaken()).isZero();
        assertThat(window.waiting()).isZero();
    }

    /** In every way: at once or not at all, with patience, with hardly any, and interrupted. */
    private boolean take(Random random, long cost) {
        try {
            return switch (random.nextInt(10)) {
                case 0 -> window.tryAcquire(cost);
                case 1 -> window.acquire(cost, random.nextInt(20_000));
                case 2 -> {
                    Thread.currentThread().interrupt();
                    yield window.acquire(cost, LONG);
                }
                default -> window.acquire(cost, LONG);
            };
        } catch (InterruptedException e) {
            return false;
        }
    }

    @Test
    void whatIsLargerThanTheWindowTakesAllOfItAndGoesAlone() {
        long large = window.cost(COMMANDS * 2, BYTES * 100);

        assertThat(window.tryAcquire(large)).isTrue();
        assertThat(window.tryAcquire(window.cost(1, 1))).isFalse();
        assertThat(window.commandsTaken()).isEqualTo(COMMANDS);
        assertThat(window.bytesTaken()).isEqualTo(BYTES);

        window.release(large);

        assertThat(window.tryAcquire(window.cost(1, 1))).isTrue();
    }

    @Test
    void whoWaitsForMuchIsNotOvertakenByWhoWantsLittle() throws Exception {
        long little = window.cost(1, 1);
        assertThat(window.tryAcquire(little)).isTrue();
        CompletableFuture<Boolean> much = waitFor(window.cost(COMMANDS, BYTES), LONG);

        boolean overtaken = window.tryAcquire(little);
        window.release(little);

        assertThat(overtaken).isFalse();
        assertThat(much.get(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void whoGivesUpLetsThoseBehindPass() throws Exception {
        for (boolean interrupted : new boolean[] {true, false}) {
            long little = window.cost(1, 1);
            assertThat(window.tryAcquire(little)).isTrue();
            CountDownLatch leave = new CountDownLatch(1);
            Thread first = Thread.ofVirtual().start(() -> {
                try {
                    assertThat(window.acquire(window.cost(COMMANDS, BYTES), interrupted ? LONG : LONG / 100))
                            .isFalse();
                } catch (InterruptedException e) {
                    leave.countDown();
                }
            });
            awaitWaiting(1);
            CompletableFuture<Boolean> second = waitFor(little, LONG);

            if (interrupted) {
                first.interrupt();
            }
            boolean passed = second.get(10, TimeUnit.SECONDS);
            first.join();
            window.release(little * 2);

            assertThat(passed).isTrue();
            assertThat(leave.getCount()).isEqualTo(interrupted ? 0 : 1);
            assertThat(window.commandsTaken()).isZero();
            assertThat(window.bytesTaken()).isZero();
        }
    }

    /** As when a server stands still: all the places are taken, and all who wait have the same time. */
    @Test
    void tensOfThousandsOfWaitersGiveUpInTime() throws Exception {
        assertThat(window.tryAcquire(window.cost(COMMANDS, BYTES))).isTrue();
        long limit = TimeUnit.MILLISECONDS.toNanos(300);
        AtomicLong latest = new AtomicLong();
        AtomicInteger served = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            threads.add(Thread.ofVirtual().start(() -> {
                for (int times = 0; times < 2; times++) {
                    long due = System.nanoTime() + limit;
                    try {
                        served.addAndGet(window.acquire(window.cost(1, 1), limit) ? 1 : 0);
                    } catch (InterruptedException e) {
                        served.incrementAndGet();
                    }
                    latest.accumulateAndGet(System.nanoTime() - due, Math::max);
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("latest: " + TimeUnit.NANOSECONDS.toMillis(latest.get()) + " ms");

        assertThat(served).hasValue(0);
        assertThat(latest.get()).isLessThan(TimeUnit.SECONDS.toNanos(1));
        assertThat(window.waiting()).isZero();
    }

    /** Returns when it waits; the future says whether it got what it waited for. */
    private CompletableFuture<Boolean> waitFor(long cost, long nanos) {
        int before = window.waiting();
        CompletableFuture<Boolean> got = CompletableFuture.supplyAsync(() -> {
            try {
                return window.acquire(cost, nanos);
            } catch (InterruptedException e) {
                return false;
            }
        });
        awaitWaiting(before + 1);
        return got;
    }

    private void awaitWaiting(int count) {
        for (long giveUp = System.nanoTime() + LONG; window.waiting() < count && System.nanoTime() - giveUp < 0; ) {
            LockSupport.parkNanos(100_000);
        }
        assertThat(window.waiting()).isEqualTo(count);
    }
}
