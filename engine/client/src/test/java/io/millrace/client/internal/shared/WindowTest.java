// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

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
    private static final long LONG = TimeUnit.SECONDS.toNanos(120);

    private final Window window = new Window(COMMANDS, BYTES, System::nanoTime);

    @Test
    void permitsInUseStayWithinTheLimitsOfCommandsAndBytesAndAllAreReturned() throws Exception {
        long seed = Long.getLong("millrace.seed", System.nanoTime());
        System.out.println("seed: " + seed);
        AtomicInteger commands = new AtomicInteger();
        AtomicLong bytes = new AtomicLong();
        AtomicInteger overLimit = new AtomicInteger();
        AtomicInteger failedAcquires = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int thread = 0; thread < 32; thread++) {
            Random random = new Random(seed + thread);
            threads.add(Thread.ofVirtual().start(() -> {
                for (int i = 0; i < 5_000; i++) {
                    int ownCommands = 1 + random.nextInt(random.nextInt(20) == 0 ? COMMANDS : 5);
                    long ownBytes = 1L + random.nextInt(random.nextInt(20) == 0 ? (int) BYTES : 500);
                    if (!take(random, window.cost(ownCommands, ownBytes))) {
                        failedAcquires.incrementAndGet();
                        continue;
                    }
                    if (commands.addAndGet(ownCommands) > COMMANDS || bytes.addAndGet(ownBytes) > BYTES) {
                        overLimit.incrementAndGet();
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

        assertThat(overLimit).hasValue(0);
        assertThat(failedAcquires).hasPositiveValue();
        assertThat(window.commandsInFlight()).isZero();
        assertThat(window.bytesInFlight()).isZero();
        assertThat(window.waiting()).isZero();
    }

    /**
     * Acquires permits in one of four ways: without waiting, with a long timeout, with a very short timeout, or while
     * interrupted.
     */
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
    void commandLargerThanTheWindowAcquiresTheWholeWindow() {
        long large = window.cost(COMMANDS * 2, BYTES * 100);

        assertThat(window.tryAcquire(large)).isTrue();
        assertThat(window.tryAcquire(window.cost(1, 1))).isFalse();
        assertThat(window.commandsInFlight()).isEqualTo(COMMANDS);
        assertThat(window.bytesInFlight()).isEqualTo(BYTES);

        window.release(large);

        assertThat(window.tryAcquire(window.cost(1, 1))).isTrue();
    }

    @Test
    void waiterForManyPermitsIsNotOvertakenByACallerThatNeedsFewPermits() throws Exception {
        long small = window.cost(1, 1);
        assertThat(window.tryAcquire(small)).isTrue();
        CompletableFuture<Boolean> large = waitFor(window.cost(COMMANDS, BYTES), LONG);

        boolean overtaken = window.tryAcquire(small);
        window.release(small);

        assertThat(overtaken).isFalse();
        assertThat(large.get(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void nextWaiterGetsItsPermitsAfterTheFirstWaiterTimesOutOrIsInterrupted() throws Exception {
        for (boolean interrupted : new boolean[] {true, false}) {
            long small = window.cost(1, 1);
            assertThat(window.tryAcquire(small)).isTrue();
            CountDownLatch leave = new CountDownLatch(1);
            Thread first = Thread.ofVirtual().start(() -> {
                try {
                    assertThat(window.acquire(window.cost(COMMANDS, BYTES), interrupted ? LONG : LONG / 400))
                            .isFalse();
                } catch (InterruptedException e) {
                    leave.countDown();
                }
            });
            awaitWaiting(1);
            CompletableFuture<Boolean> second = waitFor(small, LONG);

            if (interrupted) {
                first.interrupt();
            }
            boolean passed = second.get(60, TimeUnit.SECONDS);
            first.join();
            window.release(small * 2);

            assertThat(passed).isTrue();
            assertThat(leave.getCount()).isEqualTo(interrupted ? 0 : 1);
            assertThat(window.commandsInFlight()).isZero();
            assertThat(window.bytesInFlight()).isZero();
        }
    }

    /**
     * All permits are in use and all waiters have the same timeout, as with a paused server. If each waiter searched a
     * queue of all waiters, this test would take minutes.
     */
    @Test
    void tensOfThousandsOfWaitersTimeOutWithoutALongDelay() throws Exception {
        assertThat(window.tryAcquire(window.cost(COMMANDS, BYTES))).isTrue();
        long limit = TimeUnit.MILLISECONDS.toNanos(300);
        AtomicLong earliest = new AtomicLong(Long.MAX_VALUE);
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
                    long late = System.nanoTime() - due;
                    earliest.accumulateAndGet(late, Math::min);
                    latest.accumulateAndGet(late, Math::max);
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("latest: " + TimeUnit.NANOSECONDS.toMillis(latest.get()) + " ms");

        assertThat(served).hasValue(0);
        assertThat(earliest.get()).as("never early").isNotNegative();
        assertThat(latest.get()).isLessThan(TimeUnit.SECONDS.toNanos(10));
        assertThat(window.waiting()).isZero();
    }

    /**
     * Starts a thread that tries to acquire the permits for {@code cost}. This method returns when the thread waits for
     * the permits. The returned future completes with true if the thread acquires the permits, and with false
     * otherwise.
     */
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
