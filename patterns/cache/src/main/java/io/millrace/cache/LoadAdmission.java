// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.util.concurrent.Semaphore;

/**
 * The permits of all loads. A background load takes its permit before the load starts, and keeps the permit until the
 * load ends. Other loads start without a permit and take a permit later. Background loads use at most half of the
 * permits. Thread-safe.
 */
final class LoadAdmission {

    private final LoadPermits permits;

    /** Limits the number of permits that background loads hold. */
    private final Semaphore refreshes;

    LoadAdmission(int concurrentLoads) {
        this.permits = new LoadPermits(concurrentLoads);
        this.refreshes = new Semaphore(Math.max(1, concurrentLoads / 2));
    }

    /** Takes a permit for a background load if a permit is free. Does not block. */
    boolean tryBeginRefresh() {
        if (!refreshes.tryAcquire()) {
            return false;
        }
        if (!permits.tryAcquire()) {
            refreshes.release();
            return false;
        }
        return true;
    }

    /** Releases the permit of a background load. */
    void endRefresh() {
        permits.release();
        refreshes.release();
    }

    /**
     * Takes a permit if a permit is free. Does not block. Does nothing for a background load, which already has a
     * permit.
     */
    boolean tryAcquire(Load<?> load) {
        return load.background || permits.tryAcquire();
    }

    /**
     * Takes a permit, and waits for {@code nanos} at most. Does nothing for a background load, which already has a
     * permit.
     */
    boolean tryAcquire(Load<?> load, long nanos) throws InterruptedException {
        return load.background || permits.tryAcquire(nanos);
    }

    /** Releases a permit. A background load keeps its permit until {@link #endRefresh}. */
    void release(Load<?> load) {
        if (!load.background) {
            permits.release();
        }
    }

    /** Adds a request to the queue for permits. */
    LoadPermits.PermitRequest enqueue() {
        return permits.enqueue();
    }

    /** Returns the number of waiting loads. */
    int waiting() {
        return permits.waiting();
    }
}
