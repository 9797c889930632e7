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
    private long nextTurn;
    private long entered;
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
        long turn;
        lock.lock();
        try {
            turn = nextTurn++;
            if (mayEnter(turn, taskWeight)) {
                return admit(taskWeight);
            }
            waiting.incrementAndGet();
        } finally {
            lock.unlock();
        }
        full.run();
        lock.lock();
        try {
            while (!mayEnter(turn, taskWeight)) {
                freed.awaitUninterruptibly();
            }
            waiting.decrementAndGet();
            return admit(taskWeight);
        } finally {
            lock.unlock();
        }
    }

    /** Nobody passes one that waits, or a heavy task would wait for ever. */
    private boolean mayEnter(long turn, long taskWeight) {
        return dropped
                || (turn == entered
                        && tasks < taskLimit
                        && (weight == 0 || weight + counted(taskWeight) <= weightLimit));
    }

    private boolean admit(long taskWeight) {
        if (dropped) {
            return false;
        }
        entered++;
        tasks++;
        weight += counted(taskWeight);
        freed.signalAll(); // for the next in turn
        return true;
    }

    /** What may be heavier than all counts as that: no sum is ever too large. */
    private long counted(long taskWeight) {
        return Math.min(taskWeight, weightLimit);
    }

    /** So many places are free, 0 or 1, and this weight: of a task that was begun, or whose result was taken. */
    void leave(int places, long taskWeight) {
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
