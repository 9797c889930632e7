// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * How many tasks may be let in, and how much those of them may weigh that are not begun. A task that weighs more than all may is
 * let in when no other weighs anything.
 */
final class Room {

    private final long taskLimit;
    private final long weightLimit;
    private final Runnable full;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition freed = lock.newCondition();

    /** All by whoever has the lock. */
    private long tasks;

    private long weight;
    private boolean dropped;

    private final AtomicInteger waiting = new AtomicInteger();

    /** A room that calls {@code full}, without its lock, when somebody begins to wait. */
    Room(long taskLimit, long weightLimit, Runnable full) {
        this.taskLimit = taskLimit;
        this.weightLimit = weightLimit;
        this.full = full;
    }

    /** Whether somebody waits to be let in. */
    boolean isFull() {
        return waiting.get() > 0;
    }

    /** Waits for room for a task of this weight and takes it, whatever interrupt comes; false if there is to be none any more. */
    boolean enter(long taskWeight) {
        return tryEnter(taskWeight) || awaitAndEnter(taskWeight);
    }

    private boolean tryEnter(long taskWeight) {
        lock.lock();
        try {
            if (dropped || !fits(taskWeight)) {
                return false;
            }
            take(taskWeight);
            return true;
        } finally {
            lock.unlock();
        }
    }

    private boolean awaitAndEnter(long taskWeight) {
        waiting.incrementAndGet();
        full.run();
        lock.lock();
        try {
            while (!dropped && !fits(taskWeight)) {
                freed.awaitUninterruptibly();
            }
            if (dropped) {
                return false;
            }
            take(taskWeight);
            return true;
        } finally {
            waiting.decrementAndGet();
            lock.unlock();
        }
    }

    private boolean fits(long taskWeight) {
        return tasks < taskLimit && (weight == 0 || weight + counted(taskWeight) <= weightLimit);
    }

    private void take(long taskWeight) {
        tasks++;
        weight += counted(taskWeight);
    }

    /** What is heavier than all may be counts as that: no sum is ever too large. */
    private long counted(long taskWeight) {
        return Math.min(taskWeight, weightLimit);
    }

    /** A task was begun that keeps its place for its result. */
    void begun(long taskWeight) {
        leave(0, taskWeight);
    }

    /** A task's place is free; it weighs nothing any more. */
    void left() {
        leave(1, 0);
    }

    /** A task was begun and leaves its place. */
    void begunAndLeft(long taskWeight) {
        leave(1, taskWeight);
    }

    private void leave(int places, long taskWeight) {
        lock.lock();
        try {
            tasks -= places;
            weight -= counted(taskWeight);
            freed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Lets nobody in any more. */
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
