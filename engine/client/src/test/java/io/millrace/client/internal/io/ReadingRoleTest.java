// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.io;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.testkit.NoThreadLeft;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(NoThreadLeft.class)
class ReadingRoleTest {

    private static final int ROUNDS = Integer.getInteger("millrace.readingRoleRounds", 20_000);

    private final long seed = Long.getLong("millrace.seed", System.nanoTime());

    private static void serve(ReadingRole role, Thread waiter, int times) {
        for (int i = 0; i < times; i++) {
            role.recordWaiter(waiter);
        }
    }

    @Test
    void readerThreadHoldsTheReadingRoleAtFirst() {
        ReadingRole role = new ReadingRole(Thread.currentThread());

        assertThat(role.isHeldByCurrentThread()).isTrue();
        assertThat(role.take()).isFalse();
    }

    @Test
    void threadThatWasTheOnlyWaiterFiveTimesIsALoneCaller() {
        Thread here = Thread.currentThread();
        ReadingRole role = new ReadingRole(here);

        serve(role, here, 4);
        assertThat(role.hasLoneCaller()).isFalse();

        serve(role, here, 1);
        assertThat(role.hasLoneCaller()).isTrue();

        role.recordWaiter(null);
        assertThat(role.hasLoneCaller()).isFalse();
    }

    @Test
    void virtualThreadIsNeverALoneCaller() {
        ReadingRole role = new ReadingRole(Thread.currentThread());

        serve(role, Thread.ofVirtual().unstarted(() -> {}), 100);

        assertThat(role.hasLoneCaller()).isFalse();
    }

    @Test
    void onlyTheLoneCallerCanTakeTheFreeReadingRole() throws InterruptedException {
        Thread here = Thread.currentThread();
        ReadingRole role = new ReadingRole(here);

        serve(role, here, 5);
        role.free();
        AtomicBoolean other = new AtomicBoolean();
        Thread otherThread = Thread.ofPlatform().start(() -> other.set(role.take()));
        otherThread.join();

        assertThat(other).isFalse();
        assertThat(role.take()).isTrue();
        assertThat(role.isHeldByCurrentThread()).isTrue();
        role.giveToReader();
        assertThat(role.isHeldByCurrentThread()).isTrue();
    }

    @Test
    void readingRoleReportsWhetherACallerTookItSinceTheLastCheck() {
        Thread here = Thread.currentThread();
        ReadingRole role = new ReadingRole(here);

        serve(role, here, 5);
        role.free();

        assertThat(role.unusedSinceLastCheck()).isTrue();
        assertThat(role.take()).isTrue();
        role.free();
        assertThat(role.unusedSinceLastCheck()).isFalse();
        assertThat(role.unusedSinceLastCheck()).isTrue();
    }

    /**
     * Runs four threads in random interleavings: a reader thread, a lone caller, and two threads that give the free
     * reading role back to the reader thread.
     */
    @Test
    void readingRoleHasOneHolderAndAlwaysReturnsToTheReader() throws InterruptedException {
        System.out.println("readingRoleHasOneHolderAndAlwaysReturnsToTheReader seed: " + seed);
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger mistakes = new AtomicInteger();
        AtomicLong taken = new AtomicLong();
        AtomicBoolean over = new AtomicBoolean();
        var roles = new ReadingRole[1];
        var callers = new Thread[1];
        Thread reader = Thread.ofPlatform().unstarted(() -> {
            for (int i = 0; i < ROUNDS || taken.get() == 0; i++) {
                roles[0].await();
                mistakes.addAndGet(inside.getAndIncrement());
                for (int j = 0; j < 5; j++) {
                    roles[0].recordWaiter(callers[0]);
                    Thread.onSpinWait();
                }
                mistakes.addAndGet(roles[0].isHeldByCurrentThread() ? 0 : 1);
                inside.decrementAndGet();
                roles[0].free();
            }
            over.set(true);
        });
        roles[0] = new ReadingRole(reader);
        Thread caller = Thread.ofPlatform().unstarted(() -> {
            Random random = new Random(seed);
            while (!over.get()) {
                if (roles[0].take()) {
                    mistakes.addAndGet(inside.getAndIncrement());
                    taken.incrementAndGet();
                    mistakes.addAndGet(roles[0].isHeldByCurrentThread() ? 0 : 1);
                    inside.decrementAndGet();
                    if (random.nextBoolean()) {
                        roles[0].free();
                    } else {
                        roles[0].giveToReader();
                    }
                }
            }
        });
        callers[0] = caller;
        List<Thread> threads = new ArrayList<>(List.of(reader, caller));
        for (int i = 0; i < 2; i++) {
            threads.add(Thread.ofPlatform().unstarted(() -> {
                while (!over.get()) {
                    roles[0].giveToReaderIfFree();
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(mistakes).hasValue(0);
        assertThat(taken.get()).isPositive();
    }
}
