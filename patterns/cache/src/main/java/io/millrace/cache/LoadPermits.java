// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.cache.LoaderCall.Permit;
import java.util.LinkedHashSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A fair semaphore for concurrent loader calls: waiting calls get permits in arrival order. A waiting call can do other
 * work between two waits, and keeps its place in the queue during this work. {@link LoaderCall} explains how permits are
 * lent. Thread-safe.
 */
final class LoadPermits {

    private final ReentrantLock lock = new ReentrantLock();

    // The lock guards the next two fields and the permits of the calls. While a call waits in the queue, no permit is
    // free.
    private final LinkedHashSet<LoaderCall> queue = new LinkedHashSet<>();

    /** Negative if more calls run than permits exist. */
    private int free;

    LoadPermits(int permits) {
        this.free = permits;
    }

    /** Takes a permit if a permit is free or lent to this call. */
    boolean tryAcquire(LoaderCall call) {
        lock.lock();
        try {
            return tryTake(call);
        } finally {
            lock.unlock();
        }
    }

    /** Whether a permit is free at this moment. */
    boolean isFree() {
        lock.lock();
        try {
            return free > 0;
        } finally {
            lock.unlock();
        }
    }

    /** Takes a permit, and waits for {@code nanos} at most. Returns false after a timeout. */
    boolean tryAcquire(LoaderCall call, long nanos) throws InterruptedException {
        enqueue(call);
        boolean taken = false;
        try {
            taken = await(call, nanos);
            return taken;
        } finally {
            if (!taken) {
                release(call);
            }
        }
    }

    /** Adds the call to the end of the queue, or gives the call a permit at once. */
    void enqueue(LoaderCall call) {
        lock.lock();
        try {
            call.granted = new CountDownLatch(1);
            if (tryTake(call)) {
                call.granted.countDown();
            } else {
                call.permit = Permit.WAITING;
                queue.add(call);
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for {@code nanos} at most. Returns whether the call has a permit, which the caller must {@linkplain
     * #release release}. Only the thread that has called {@link #enqueue} calls this method.
     */
    boolean await(LoaderCall call, long nanos) throws InterruptedException {
        return call.granted.await(nanos, TimeUnit.NANOSECONDS);
    }

    /** The caller must hold the lock. */
    private boolean tryTake(LoaderCall call) {
        if (call.lenders > 0) {
            call.permit = Permit.LENT;
            return true;
        }
        if (free <= 0) {
            return false;
        }
        free--;
        call.permit = Permit.HELD;
        return true;
    }

    /**
     * Releases the permit of the call, or removes the call from the queue. The first call in the queue gets the permit.
     * Returns whether the call had a permit. A second release has no effect.
     */
    boolean release(LoaderCall call) {
        lock.lock();
        try {
            Permit before = call.permit;
            call.permit = Permit.NONE;
            switch (before) {
                case NONE, LENT -> {}
                case WAITING -> queue.remove(call);
                case HELD -> {
                    free++;
                    grantNext();
                }
            }
            return before == Permit.HELD || before == Permit.LENT;
        } finally {
            lock.unlock();
        }
    }

    /** The caller must hold the lock. */
    private void grantNext() {
        if (free > 0 && !queue.isEmpty()) {
            LoaderCall next = queue.removeFirst();
            free--;
            next.permit = Permit.HELD;
            next.granted.countDown();
        }
    }

    /** Lends the permit of the current loader to {@code call}, until {@link #endLending}. */
    void lend(LoaderCall call) {
        lock.lock();
        try {
            call.lenders++;
            if (call.permit == Permit.WAITING) {
                queue.remove(call);
                call.permit = Permit.LENT;
                call.granted.countDown();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Takes the lent permit back. If the call still runs, the call then holds a permit of these permits. */
    void endLending(LoaderCall call) {
        lock.lock();
        try {
            call.lenders--;
            if (call.lenders == 0 && call.permit == Permit.LENT) {
                call.permit = Permit.HELD;
                free--;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of calls in the queue. */
    int waiting() {
        lock.lock();
        try {
            return queue.size();
        } finally {
            lock.unlock();
        }
    }
}
