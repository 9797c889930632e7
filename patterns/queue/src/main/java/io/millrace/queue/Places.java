// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The places of a worker: each running job occupies a place. An abandoned job occupies no place, but the worker takes
 * no jobs while {@link #MAX_ABANDONED} abandoned jobs still run. Thread-safe.
 */
final class Places {

    /** Maximum number of abandoned jobs that still run. The same number as in task flows. */
    static final int MAX_ABANDONED = 16;

    private final int concurrency;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // The lock guards all fields below.
    private int running;
    private int runningSuspects;
    private int abandoned;
    private boolean stopping;
    private boolean hurried;

    Places(int concurrency) {
        this.concurrency = concurrency;
    }

    /** Waits until a place is free, and returns the number of free places. Returns 0 if the worker is stopping. */
    int awaitFree() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!stopping && (running >= concurrency || abandoned >= MAX_ABANDONED)) {
                changed.await();
            }
            return stopping ? 0 : concurrency - running;
        } finally {
            lock.unlock();
        }
    }

    /** Occupies a place. Returns false, and occupies no place, if the worker is stopping. */
    boolean begin(boolean suspect) {
        lock.lock();
        try {
            if (stopping) {
                return false;
            }
            running++;
            runningSuspects += suspect ? 1 : 0;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Frees a place. */
    void end(boolean suspect) {
        lock.lock();
        try {
            running--;
            runningSuspects -= suspect ? 1 : 0;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Frees the place of a job that still runs. Returns the number of such jobs. */
    int abandon(boolean suspect) {
        lock.lock();
        try {
            end(suspect);
            return ++abandoned;
        } finally {
            lock.unlock();
        }
    }

    void abandonedEnded() {
        lock.lock();
        try {
            abandoned--;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    int abandoned() {
        lock.lock();
        try {
            return abandoned;
        } finally {
            lock.unlock();
        }
    }

    boolean suspectRuns() {
        lock.lock();
        try {
            return runningSuspects > 0;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until no place is occupied, for at most {@code nanos}. {@link #hurry} ends the wait. */
    void awaitIdle(long nanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            for (long left = nanos; left > 0 && running > 0 && !hurried; ) {
                left = changed.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Waits until no place is occupied, for at most {@code nanos}. */
    void awaitInterrupted(long nanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            for (long left = nanos; left > 0 && running > 0; ) {
                left = changed.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Waits for {@code nanos}, or until the worker is stopping. */
    void pause(long nanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            for (long left = nanos; left > 0 && !stopping; ) {
                left = changed.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    void stop() {
        lock.lock();
        try {
            stopping = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Ends the wait for running jobs. */
    void hurry() {
        lock.lock();
        try {
            hurried = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    boolean isStopping() {
        lock.lock();
        try {
            return stopping;
        } finally {
            lock.unlock();
        }
    }
}
