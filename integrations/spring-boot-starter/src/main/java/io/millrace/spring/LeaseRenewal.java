// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * The renewals of the lease of one load. Thread-safe.
 *
 * <p>DESIGN. A renewal must not reach the server after the lease is released: the lease of a load that has ended would stop all
 * instances until the lease ends. So {@link #end} waits for a renewal that runs, and no renewal begins later. If a renewal has
 * no reply, the server may still execute the renewal later: the script of a renewal changes only a lease that exists.
 */
final class LeaseRenewal {

    private final BooleanSupplier renewal;
    private final Runnable onLoss;
    private final Consumer<Throwable> onFailure;

    /** Held during a renewal, and so for at most two time limits of a renewal. */
    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by {@link #lock}. */
    private boolean ended;

    /** Whether the last renewal has failed. Guarded by {@link #lock}. */
    private boolean failing;

    /** Set by the thread of the renewals; never reset. */
    private volatile boolean lost;

    /**
     * Creates the renewals of a lease that was claimed.
     *
     * @param renewal renews the lease. Returns false if another instance has the lease, or has loaded; may throw
     * @param onLoss called if another instance has the lease, or has loaded
     * @param onFailure gets the first of consecutive failures
     */
    LeaseRenewal(BooleanSupplier renewal, Runnable onLoss, Consumer<Throwable> onFailure) {
        this.renewal = renewal;
        this.onLoss = onLoss;
        this.onFailure = onFailure;
    }

    /**
     * Renews the lease, unless the renewals have ended. Never throws: after any failure, also an error of the JVM such as a full
     * heap, the next renewal is another attempt.
     */
    void renew() {
        lock.lock();
        try {
            if (!ended) {
                ended = !holds();
            }
        } catch (Throwable unreported) {
            // There was too little memory even for the report of the failure. The next renewal may succeed.
        } finally {
            lock.unlock();
        }
    }

    /** Whether the load still has the lease, as far as this process knows. The caller holds the lock. */
    private boolean holds() {
        try {
            if (renewal.getAsBoolean()) {
                failing = false;
                return true;
            }
            lost = true;
            onLoss.run();
            return false;
        } catch (Throwable failure) {
            if (!failing) {
                failing = true;
                onFailure.accept(failure);
            }
            return true;
        }
    }

    /** Ends the renewals. Waits for the end of a renewal that runs. */
    void end() {
        lock.lock();
        try {
            ended = true;
        } finally {
            lock.unlock();
        }
    }

    /** Whether another instance has the lease, or has loaded. */
    boolean isLost() {
        return lost;
    }
}
