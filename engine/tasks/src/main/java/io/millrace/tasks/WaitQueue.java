// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A queue of threads that wait until a condition is true. No wake-up is lost, for the following reason:
 *
 * <ul>
 *   <li>A waiting thread first enters the queue, and then checks its condition again before it parks.
 *   <li>A thread that makes a condition true first changes the state, and then looks for waiting threads.
 *   <li>The length of the queue is volatile, and so are the fields that the condition reads.
 * </ul>
 *
 * <p>So in every interleaving, the waiting thread sees the change, or the changing thread sees the waiting thread.
 *
 * <p>A thread that wakes a waiting thread also removes the waiting thread from the queue. So no thread is woken twice
 * for one wait. A woken thread must check its condition again, or wake another thread.
 */
final class WaitQueue {

    private static final class Waiter {

        private final Thread thread = Thread.currentThread();

        /** Set under the lock by the thread that wakes this waiter. */
        private volatile boolean woken;
    }

    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by the lock. The thread that has waited longest is first. */
    private final Queue<Waiter> queue = new ArrayDeque<>();

    /** Length of the queue; written under the lock. */
    private volatile int waiting;

    boolean hasWaiting() {
        return waiting > 0;
    }

    /**
     * Waits until the thread is woken or {@code done} is true. Does not wait if {@code done} is true already.
     *
     * @throws InterruptedException if the thread was interrupted before another thread woke it
     */
    void await(BooleanSupplier done) throws InterruptedException {
        await(done, null);
    }

    /**
     * Same as {@link #await(BooleanSupplier)}, but waits only while {@code nanosLeft} is positive; null means no limit.
     */
    void await(BooleanSupplier done, @Nullable LongSupplier nanosLeft) throws InterruptedException {
        Waiter me = enter();
        while (!me.woken && !done.getAsBoolean()) {
            if (Thread.interrupted()) {
                if (leave(me)) {
                    throw new InterruptedException();
                }
                Thread.currentThread().interrupt(); // the wake-up has priority
                return;
            }
            if (nanosLeft == null) {
                LockSupport.park(this);
                continue;
            }
            long left = nanosLeft.getAsLong();
            if (left <= 0) {
                break;
            }
            LockSupport.parkNanos(this, left);
        }
        leave(me);
    }

    /**
     * Same as {@link #await(BooleanSupplier)}, but an interrupt does not end the wait. The interrupt flag stays set.
     */
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

    /** Removes this thread from the queue. Returns false if another thread has already woken it. */
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

    /** Wakes the thread that has waited longest, if any. */
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
