// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * How many tasks, and how much of their weight, may have been produced and not begun. A task that weighs more than all may is let
 * in when it is alone.
 */
final class Room {

    private final long taskLimit;
    private final long weightLimit;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition freed = lock.newCondition();

    /** All by whoever has the lock. */
    private long tasks;

    private long weight;
    private boolean dropped;

    Room(long taskLimit, long weightLimit) {
        this.taskLimit = taskLimit;
        this.weightLimit = weightLimit;
    }

    /** Waits for room for a task of this weight and takes it; false if there is to be none any more. */
    boolean enter(long taskWeight) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!dropped && !fits(taskWeight)) {
                freed.await();
            }
            if (dropped) {
                return false;
            }
            tasks++;
            weight += taskWeight;
            return true;
        } finally {
            lock.unlock();
        }
    }

    private boolean fits(long taskWeight) {
        return tasks == 0 || (tasks < taskLimit && weight + taskWeight <= weightLimit);
    }

    void leave(long taskWeight) {
        lock.lock();
        try {
            tasks--;
            weight -= taskWeight;
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
