// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * The success of the last renewals of a worker. After an outage of the server, the leases of all workers may have ended,
 * although the workers live. So only a worker whose lease was steady for a whole lease takes the jobs of other workers:
 * in this time, the live workers have renewed their leases. Thread-safe.
 */
final class LeaseState {

    private final long leaseNanos;
    private final LongSupplier clock;
    private final ReentrantLock lock = new ReentrantLock();

    // The lock guards all fields below.
    private long renewedAt;
    private long steadySince;

    /** Whether no renewal has succeeded since the start or since the last failure. */
    private boolean broken = true;

    LeaseState(Duration lease, LongSupplier clock) {
        this.leaseNanos = lease.toNanos();
        this.clock = clock;
        this.renewedAt = clock.getAsLong();
    }

    /** A renewal has succeeded, which was sent at {@code sentAt} of the clock. */
    void renewed(long sentAt) {
        lock.lock();
        try {
            if (broken || sentAt - renewedAt > lateNanos()) {
                steadySince = sentAt;
            }
            broken = false;
            renewedAt = sentAt;
        } finally {
            lock.unlock();
        }
    }

    /** A renewal has failed. */
    void failed() {
        lock.lock();
        try {
            broken = true;
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether all renewals succeeded in time for a whole lease. */
    boolean isSteady() {
        lock.lock();
        try {
            long now = clock.getAsLong();
            return !broken && now - steadySince >= leaseNanos && now - renewedAt <= lateNanos();
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the last renewal is so old that the worker should renew before it takes jobs. */
    boolean isLate() {
        lock.lock();
        try {
            return clock.getAsLong() - renewedAt > lateNanos();
        } finally {
            lock.unlock();
        }
    }

    /** A worker renews after a third of the lease. A renewal after two thirds is late. */
    private long lateNanos() {
        return leaseNanos / 3 * 2;
    }

    long now() {
        return clock.getAsLong();
    }
}
