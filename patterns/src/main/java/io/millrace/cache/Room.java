// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.util.LinkedHashSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Places for so many loads at the same time, and the line of those that wait for one: first come, first served. Who waits can look
 * elsewhere in between without losing its turn. Any thread.
 */
final class Room {

    private final ReentrantLock lock = new ReentrantLock();

    // The next two are guarded by the lock. While somebody waits nothing is free.
    private final LinkedHashSet<Turn> line = new LinkedHashSet<>();
    private int free;

    Room(int places) {
        this.free = places;
    }

    /** Takes a place if one is free. */
    boolean tryTake() {
        lock.lock();
        try {
            if (free == 0) {
                return false;
            }
            free--;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Takes a place, and waits for it for {@code nanos} at most; whether there was one. */
    boolean take(long nanos) throws InterruptedException {
        Turn turn = queue();
        boolean taken = false;
        try {
            taken = turn.await(nanos);
            return taken;
        } finally {
            if (!taken) {
                turn.giveUp();
            }
        }
    }

    /** Joins the line. */
    Turn queue() {
        Turn turn = new Turn();
        lock.lock();
        try {
            line.add(turn);
            giveToNext();
            return turn;
        } finally {
            lock.unlock();
        }
    }

    /** Gives back a place that was taken. */
    void giveBack() {
        lock.lock();
        try {
            free++;
            giveToNext();
        } finally {
            lock.unlock();
        }
    }

    /** With the lock. */
    private void giveToNext() {
        if (free > 0 && !line.isEmpty()) {
            free--;
            line.removeFirst().come.countDown();
        }
    }

    /** How many wait. */
    int waiting() {
        lock.lock();
        try {
            return line.size();
        } finally {
            lock.unlock();
        }
    }

    /** Somebody's turn, which comes when a place is free. */
    final class Turn {

        private final CountDownLatch come = new CountDownLatch(1);

        private Turn() {}

        /** Waits for {@code nanos} at most; whether there is a place now, which is to be {@linkplain Room#giveBack given back}. */
        boolean await(long nanos) throws InterruptedException {
            return come.await(nanos, TimeUnit.NANOSECONDS);
        }

        /** Leaves the line; a place that has come meanwhile is given back. */
        void giveUp() {
            lock.lock();
            try {
                if (!line.remove(this)) {
                    giveBack();
                }
            } finally {
                lock.unlock();
            }
        }
    }
}
