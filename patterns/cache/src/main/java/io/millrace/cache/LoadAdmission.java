// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.util.concurrent.Semaphore;

/**
 * The permits of all loads. All permits are taken on the threads of loads, so a load that an executor drops holds no
 * permit. A background load takes its permit when its thread begins, and keeps the permit until the load ends. Other
 * loads take a permit later. Background loads use at most half of the permits. Thread-safe.
 */
final class LoadAdmission {

    private final LoadPermits permits;

    /** Limits the number of permits that background loads hold. */
    private final Semaphore refreshes;

    LoadAdmission(int concurrentLoads) {
        this.permits = new LoadPermits(concurrentLoads);
        this.refreshes = new Semaphore(Math.max(1, concurrentLoads / 2));
    }

    /** Whether a background load would get a permit at this moment. Saves a thread in most other cases. */
    boolean mayBeginRefresh() {
        return refreshes.availablePermits() > 0 && permits.isFree();
    }

    /** Takes the permit of a background load if a permit is free. Does not block. */
    boolean tryBeginRefresh(LoaderCall call) {
        if (!refreshes.tryAcquire()) {
            return false;
        }
        if (!permits.tryAcquire(call)) {
            refreshes.release();
            return false;
        }
        return true;
    }

    /** Releases the permit of a background load. A second call has no effect. */
    void endRefresh(LoaderCall call) {
        if (permits.release(call)) {
            refreshes.release();
        }
    }

    /**
     * Takes a permit if a permit is free. Does not block. Does nothing for a background load, which already has a
     * permit.
     */
    boolean tryAcquire(Load<?> load) {
        return load.background || permits.tryAcquire(load.call);
    }

    /**
     * Takes a permit, and waits for {@code nanos} at most. Does nothing for a background load, which already has a
     * permit.
     */
    boolean tryAcquire(Load<?> load, long nanos) throws InterruptedException {
        return load.background || permits.tryAcquire(load.call, nanos);
    }

    /**
     * Releases the permit, or leaves the queue for permits. A background load keeps its permit until {@link #end}. A
     * second release has no effect.
     */
    void release(Load<?> load) {
        if (!load.background) {
            boolean unused = permits.release(load.call);
        }
    }

    /** Releases the permit of a load that has ended. A second call has no effect. */
    void end(Load<?> load) {
        if (load.background) {
            endRefresh(load.call);
        } else {
            release(load);
        }
    }

    /** Adds a load to the queue for permits. */
    void enqueue(Load<?> load) {
        permits.enqueue(load.call);
    }

    /** Waits in the queue for {@code nanos} at most. Returns whether the load has a permit. */
    boolean await(Load<?> load, long nanos) throws InterruptedException {
        return permits.await(load.call, nanos);
    }

    /** Lends the permit of {@code outer}, which waits for the load, until {@link LoaderCall#endLoan}. */
    LoaderCall.Loan lend(LoaderCall outer, Load<?> load) {
        return outer.beginLoan(permits, load.call);
    }

    /** Returns the number of waiting loads. */
    int waiting() {
        return permits.waiting();
    }
}
