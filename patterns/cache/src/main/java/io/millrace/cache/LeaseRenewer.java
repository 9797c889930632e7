// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * Renews the leases of this process. A platform thread sends a renewal for each lease after each third of the lease
 * duration. Thread-safe.
 *
 * <p>DESIGN. A load begins the renewal before it sends its claim. If loaders occupy all carrier threads, a load may get
 * the reply to its claim much later, and the lease would lapse unless it was renewed. Redis ignores the renewal of a
 * lease that this process does not hold.
 *
 * <p>A renewal waits for Redis for at most the Redis timeout, which is at most a third of the lease. So if one renewal
 * gets no reply, the next renewal still arrives before the lease expires.
 */
final class LeaseRenewer<V> {

    private final Leases<V> leases;
    private final Timekeeper<HeldLease> timekeeper;

    LeaseRenewer(Leases<V> leases, LongSupplier clock) {
        this.leases = leases;
        long third = leases.lease().toNanos() / 3;
        this.timekeeper = new Timekeeper<>("millrace-cache-lease", third, clock, this::renew);
    }

    void start(HeldLease lease) {
        timekeeper.add(lease);
    }

    /** Ends the renewals. A renewal that has begun still reaches Redis. */
    void stop(HeldLease lease) {
        lease.stopped = true;
        timekeeper.remove(lease);
    }

    void close() {
        timekeeper.close();
    }

    private void renew(List<HeldLease> due) {
        // Plan the next renewals first, so that the time of this renewal does not delay them.
        due.forEach(this::startAgain);
        // Only a lease that was confirmed before the renewal can be lost. The renewal may overtake another claim.
        Set<HeldLease> confirmed = due.stream()
                .filter(lease -> lease.claim == HeldLease.ClaimResult.CONFIRMED)
                .collect(Collectors.toSet());
        List<HeldLease> lost = leases.renewAll(due);
        lost.stream().filter(confirmed::contains).forEach(this::stop);
    }

    private void startAgain(HeldLease lease) {
        timekeeper.add(lease);
        if (lease.stopped) { // check again, because the lease may have been stopped before it was added
            timekeeper.remove(lease);
        }
    }
}
