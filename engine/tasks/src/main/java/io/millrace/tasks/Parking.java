// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * Where threads wait until something has changed. Who waits is counted before it looks once more, and who changes something looks
 * for waiting threads after the change; the count is volatile, and so has to be what is changed. So either the change is seen or
 * the thread is: nobody waits for something that has happened.
 */
final class Parking {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    private final AtomicInteger waiting = new AtomicInteger();

    boolean hasWaiting() {
        return waiting.get() > 0;
    }

    /** Waits until somebody wakes it and {@code done}; not at all if {@code done} already. */
    void await(BooleanSupplier done) throws InterruptedException {
        lock.lockInterruptibly();
        waiting.incrementAndGet();
        try {
            while (!done.getAsBoolean()) {
                changed.await();
            }
        } finally {
            waiting.decrementAndGet();
            lock.unlock();
        }
    }

    /** The same, but not for longer than {@code nanos}. */
    void await(BooleanSupplier done, long nanos) throws InterruptedException {
        lock.lockInterruptibly();
        waiting.incrementAndGet();
        try {
            long left = nanos;
            while (left > 0 && !done.getAsBoolean()) {
                left = changed.awaitNanos(left);
            }
        } finally {
            waiting.decrementAndGet();
            lock.unlock();
        }
    }

    void wakeOne() {
        lock.lock();
        try {
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    void wakeAll() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
