// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Limits the number of tasks in a {@link Backlog}. A thread that adds a task waits until the limit admits the task.
 * Threads are admitted in the order of their arrival.
 */
final class CapacityLimit {

    private final int limit;
    private final Runnable onWait;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition freed = lock.newCondition();

    /** Guarded by the lock, like the fields below. */
    private int tasks;

    private long nextTicket;
    private long admitted;
    private boolean dropped;

    private final AtomicInteger waiting = new AtomicInteger();

    /**
     * Creates a limit of {@code limit} tasks. Before a thread waits for admission, it calls {@code onWait}. It does not
     * hold the lock during this call.
     */
    CapacityLimit(int limit, Runnable onWait) {
        this.limit = limit;
        this.onWait = onWait;
    }

    /** Whether a thread waits for admission. */
    boolean hasWaiting() {
        return waiting.get() > 0;
    }

    /** Waits for admission of one task. An interrupt does not end the wait. Returns false after {@link #drop}. */
    boolean enter() {
        long ticket;
        lock.lock();
        try {
            ticket = nextTicket++;
            if (mayEnter(ticket)) {
                return admit();
            }
            waiting.incrementAndGet();
        } finally {
            lock.unlock();
        }
        onWait.run();
        lock.lock();
        try {
            while (!mayEnter(ticket)) {
                freed.awaitUninterruptibly();
            }
            waiting.decrementAndGet();
            return admit();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Whether the thread with this ticket may stop waiting. Tickets are numbered in the order of arrival. A thread is
     * never admitted before a thread that arrived earlier.
     */
    private boolean mayEnter(long ticket) {
        return dropped || (ticket == admitted && tasks < limit);
    }

    private boolean admit() {
        if (dropped) {
            return false;
        }
        admitted++;
        tasks++;
        freed.signalAll(); // for the next thread in the queue
        return true;
    }

    /** Frees the capacity of one task that was started, or whose result was taken. */
    void leave() {
        lock.lock();
        try {
            tasks--;
            freed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Refuses admission from now on. */
    void drop() {
        lock.lock();
        try {
            dropped = true;
            freed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
