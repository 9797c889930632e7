// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.util.concurrent.locks.LockSupport;

/** Renews a lease while its holder loads. A virtual thread sends a renewal after each third of the lease duration. */
final class LeaseRenewer {

    /** A renewer that does nothing, for loads that hold no lease. */
    static final LeaseRenewer NONE = new LeaseRenewer(() -> false, 0);

    private final Thread thread;

    /** Set once, by {@link #stop}. */
    private volatile boolean stopped;

    private LeaseRenewer(RenewAttempt attempt, long nanos) {
        this.thread = Thread.ofVirtual().name("millrace-cache-lease").unstarted(() -> run(attempt, nanos));
    }

    /** Starts to renew the lease, until {@link #stop} or the loss of the lease. */
    static <V> LeaseRenewer start(Leases<V> leases, String key, String token) {
        LeaseRenewer leaseRenewer =
                new LeaseRenewer(() -> leases.renew(key, token), leases.lease().toNanos() / 3);
        leaseRenewer.thread.start();
        return leaseRenewer;
    }

    void stop() {
        stopped = true;
        LockSupport.unpark(thread);
    }

    private void run(RenewAttempt attempt, long nanos) {
        long next = System.nanoTime() + nanos;
        while (!stopped) {
            long left = next - System.nanoTime();
            if (left > 0) {
                LockSupport.parkNanos(left);
            } else if (attempt.renew()) {
                next = System.nanoTime() + nanos;
            } else {
                return;
            }
        }
    }

    /** Sends one renewal. Returns false if the lease is lost. */
    private interface RenewAttempt {

        boolean renew();
    }
}
