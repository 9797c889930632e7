// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Where threads wait until something has changed. Who waits is counted before it looks once more, and who changes something looks
 * for waiting threads after the change; the count is volatile, and so has to be what is changed. So either the change is seen or
 * the thread is: nobody waits for something that has happened.
 *
 * <p>Whoever is woken does not count any more, at once: as long as it has not come to run, nobody pays for waking it again. It must
 * look for what it was woken for, or wake another.
 */
final class Parking {

    private static final class Waiter {

        private final Thread thread = Thread.currentThread();

        /** Set under the lock by whoever took it from the queue. */
        private volatile boolean woken;
    }

    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by the lock; the longest waiting first. */
    private final Queue<Waiter> queue = new ArrayDeque<>();

    /** Its length; written under the lock. */
    private volatile int waiting;

    boolean hasWaiting() {
        return waiting > 0;
    }

    /**
     * Waits until it is woken or {@code done}; not at all if {@code done} already.
     *
     * @throws InterruptedException if it was interrupted, and not woken
     */
    void await(BooleanSupplier done) throws InterruptedException {
        await(done, Long.MAX_VALUE);
    }

    /** The same, but not for longer than {@code nanos}. */
    void await(BooleanSupplier done, long nanos) throws InterruptedException {
        Waiter me = enter();
        long until = nanos == Long.MAX_VALUE ? 0 : System.nanoTime() + nanos;
        while (!me.woken && !done.getAsBoolean()) {
            if (Thread.interrupted()) {
                if (leave(me)) {
                    throw new InterruptedException();
                }
                Thread.currentThread().interrupt(); // woken meanwhile: that comes first
                return;
            }
            if (nanos == Long.MAX_VALUE) {
                LockSupport.park(this);
                continue;
            }
            long left = until - System.nanoTime();
            if (left <= 0) {
                break;
            }
            LockSupport.parkNanos(this, left);
        }
        leave(me);
    }

    /** The same, whatever interrupt comes; it stays set. */
    void awaitUninterruptibly(BooleanSupplier done) {
        Waiter me = enter();
        boolean interrupted = false;
        while (!me.woken && !done.getAsBoolean()) {
            LockSupport.park(this);
            interrupted |= Thread.interrupted();
        }
        leave(me);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private Waiter enter() {
        Waiter me = new Waiter();
        lock.lock();
        try {
            queue.add(me);
            waiting = queue.size();
        } finally {
            lock.unlock();
        }
        return me;
    }

    /** Leaves the queue; false if it was woken before. */
    private boolean leave(Waiter me) {
        if (me.woken) {
            return false;
        }
        lock.lock();
        try {
            boolean waited = queue.remove(me);
            waiting = queue.size();
            return waited;
        } finally {
            lock.unlock();
        }
    }

    /** Wakes the one that has waited longest, if there is one. */
    void wakeOne() {
        lock.lock();
        try {
            wake(queue.poll());
        } finally {
            lock.unlock();
        }
    }

    void wakeAll() {
        lock.lock();
        try {
            while (!queue.isEmpty()) {
                wake(queue.poll());
            }
        } finally {
            lock.unlock();
        }
    }

    private void wake(@Nullable Waiter waiter) {
        waiting = queue.size();
        if (waiter != null) {
            waiter.woken = true;
            LockSupport.unpark(waiter.thread);
        }
    }
}
