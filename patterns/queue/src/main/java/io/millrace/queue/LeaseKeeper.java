// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.queue.OutageLog.Part;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/*
 * DESIGN
 *
 *     time in leases   0        1/3        2/3         1
 *                      R1       R2         R3          R4     without failures
 *                      R1       R2...xR...xR...x              the server is silent: limit 1/6, next attempt 1/10 later
 *
 * The thread does nothing else, so neither acknowledgements nor maintenance can delay a renewal. It is a platform
 * thread, because virtual threads that compute can occupy all carrier threads. If the process was suspended for most of
 * the lease, the dispatcher renews before it takes jobs.
 */

/** Renews the lease of a worker, on its own thread. */
final class LeaseKeeper implements Runnable {

    private static final Duration MIN_RETRY = Duration.ofMillis(50);

    /** Time for which {@link #stop} waits for the end of a running renewal before it interrupts the renewal. */
    private static final Duration STOP_LIMIT = Duration.ofSeconds(1);

    private final QueueBackend<?> backend;
    private final Supplier<List<String>> heldIds;
    private final OutageLog outage;
    private final Duration lease;
    private final Thread thread;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition stopRequested = lock.newCondition();

    /** The lock guards this field. */
    private boolean stopping;

    LeaseKeeper(QueueBackend<?> backend, Supplier<List<String>> heldIds, OutageLog outage, Duration lease) {
        this.backend = backend;
        this.heldIds = heldIds;
        this.outage = outage;
        this.lease = lease;
        this.thread = Thread.ofPlatform()
                .daemon()
                .inheritInheritableThreadLocals(false)
                .name("millrace-lease-" + backend.name())
                .unstarted(this);
    }

    /** Returns the time from the end of a renewal to the begin of the next: a third of the lease, or less after a failure. */
    static long nanosToNext(Duration lease, boolean renewed) {
        return renewed ? lease.toNanos() / 3 : Math.max(lease.toNanos() / 10, MIN_RETRY.toNanos());
    }

    void start() {
        thread.start();
    }

    @Override
    public void run() {
        try {
            boolean renewed = true; // by the registration
            while (awaitNext(nanosToNext(lease, renewed))) {
                renewed = tryRenew();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // stop() interrupts a renewal that takes too long
        }
    }

    /** Waits for {@code nanos}. Returns false if the worker is being closed. */
    private boolean awaitNext(long nanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            for (long left = nanos; left > 0 && !stopping; ) {
                left = stopRequested.awaitNanos(left);
            }
            return !stopping;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Renews the lease. Returns false after any failure, also an error of the JVM such as a full heap: without renewals, the
     * worker would lose all its jobs.
     */
    boolean tryRenew() {
        try {
            renew();
            outage.succeeded(Part.RENEWAL);
            return true;
        } catch (Throwable e) {
            if (!isStopping()) { // stop() interrupts a renewal that takes too long
                outage.failed(Part.RENEWAL, e);
            }
            return false;
        }
    }

    private boolean isStopping() {
        lock.lock();
        try {
            return stopping;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Renews the lease if the last renewal is too old. Otherwise this worker could take jobs without a lease.
     *
     * @throws RuntimeException of the client, if the renewal failed
     */
    void renewIfLate() {
        if (backend.lease().isLate()) {
            renew();
        }
    }

    private void renew() {
        LeaseState state = backend.lease();
        long sentAt = state.now();
        try {
            backend.renew(heldIds.get());
        } catch (Throwable e) {
            state.failed();
            throw e;
        }
        state.renewed(sentAt);
    }

    /** Ends the thread. */
    void stop() {
        lock.lock();
        try {
            stopping = true;
            stopRequested.signalAll();
        } finally {
            lock.unlock();
        }
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                if (!thread.join(STOP_LIMIT)) {
                    thread.interrupt();
                }
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
