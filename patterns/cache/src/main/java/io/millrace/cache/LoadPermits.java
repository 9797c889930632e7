// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.util.LinkedHashSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A fair semaphore for concurrent loads: waiting loads get permits in arrival order. A waiting load can do other work
 * between two waits. The load keeps its place in the queue during this work. Thread-safe.
 */
final class LoadPermits {

    private final ReentrantLock lock = new ReentrantLock();

    // The lock guards the next two fields. While a request waits in the queue, no permit is free.
    private final LinkedHashSet<PermitRequest> enqueue = new LinkedHashSet<>();
    private int free;

    LoadPermits(int permits) {
        this.free = permits;
    }

    /** Takes a permit if one is free. */
    boolean tryAcquire() {
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

    /** Takes a permit, and waits for {@code nanos} at most. Returns false after a timeout. */
    boolean tryAcquire(long nanos) throws InterruptedException {
        PermitRequest turn = enqueue();
        boolean taken = false;
        try {
            taken = turn.await(nanos);
            return taken;
        } finally {
            if (!taken) {
                turn.cancel();
            }
        }
    }

    /** Adds a request to the end of the queue. */
    PermitRequest enqueue() {
        PermitRequest turn = new PermitRequest();
        lock.lock();
        try {
            enqueue.add(turn);
            grantNext();
            return turn;
        } finally {
            lock.unlock();
        }
    }

    /** Releases a permit. The first request in the queue, if there is one, gets the permit. */
    void release() {
        lock.lock();
        try {
            free++;
            grantNext();
        } finally {
            lock.unlock();
        }
    }

    /** The caller must hold the lock. */
    private void grantNext() {
        if (free > 0 && !enqueue.isEmpty()) {
            free--;
            enqueue.removeFirst().granted.countDown();
        }
    }

    /** Returns the number of requests in the queue. */
    int waiting() {
        lock.lock();
        try {
            return enqueue.size();
        } finally {
            lock.unlock();
        }
    }

    /** A request in the queue for permits. */
    final class PermitRequest {

        private final CountDownLatch granted = new CountDownLatch(1);

        private PermitRequest() {}

        /**
         * Waits for {@code nanos} at most. Returns whether this request has a permit, which the caller must {@linkplain
         * LoadPermits#release release}.
         */
        boolean await(long nanos) throws InterruptedException {
            return granted.await(nanos, TimeUnit.NANOSECONDS);
        }

        /** Removes this request from the queue. If the request already has a permit, the permit is released. */
        void cancel() {
            lock.lock();
            try {
                if (!enqueue.remove(this)) {
                    release();
                }
            } finally {
                lock.unlock();
            }
        }
    }
}
