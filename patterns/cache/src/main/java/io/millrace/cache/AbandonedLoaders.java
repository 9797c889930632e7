// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The loader calls that have exceeded the load timeout and have not returned. Thread-safe.
 *
 * <p>An abandoned call gives its permit back, so that a few hung calls do not stop the loads of other keys. Without a
 * limit, a backend that hangs would then occupy more and more threads. So only the first {@link #LIMIT} abandoned calls
 * give their permits back, and further loads are refused until fewer than {@link #LIMIT} of these calls run. More calls
 * are abandoned if more loaders hang at the same time. So abandoned calls add at most 16 threads to {@code
 * concurrentLoads}.
 */
final class AbandonedLoaders {

    /** Large enough for some hung calls, and small compared with the default of {@code concurrentLoads}. */
    static final int LIMIT = 16;

    /** Time for which a load waits before it is refused. A loader that obeys its interrupt returns within this time. */
    private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final StatsCounter statsCounter;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition returned = lock.newCondition();

    /** Guarded by the lock. */
    private int running;

    AbandonedLoaders(StatsCounter statsCounter) {
        this.statsCounter = statsCounter;
    }

    /** Adds a call. Returns whether the call may give its permit back. */
    boolean add() {
        lock.lock();
        try {
            running++;
            statsCounter.abandonedLoaders.increment();
            return running <= LIMIT;
        } finally {
            lock.unlock();
        }
    }

    /** Removes a call that has returned. */
    void remove() {
        lock.lock();
        try {
            running--;
            statsCounter.abandonedLoaders.decrement();
            returned.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns the number of abandoned calls if a load must be refused; empty if the load may run. Waits for a short time
     * if the limit is reached.
     */
    OptionalInt refusing() throws InterruptedException {
        lock.lock();
        try {
            long left = GRACE_NANOS;
            while (running >= LIMIT && left > 0) {
                left = returned.awaitNanos(left);
            }
            return running >= LIMIT ? OptionalInt.of(running) : OptionalInt.empty();
        } finally {
            lock.unlock();
        }
    }
}
