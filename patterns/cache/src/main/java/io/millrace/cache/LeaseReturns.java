// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Gives leases back: deletes the leases of loads that wrote no entry. A platform thread sends the deletions.
 * Thread-safe, and never blocks its callers, except during {@link #close}.
 *
 * <p>DESIGN. A lease that stays in Redis blocks its key in all processes. So the thread sends the deletion of a lease
 * again, once a second, until Redis replies, or until the lease time is over. The number of waiting leases is limited
 * because a load claims no lease while the circuit is open.
 *
 * <p>An unanswered claim may reach the server after the deletion, because other threads use other connections. So a
 * reply that nothing was deleted is final only for an answered claim. After an unanswered claim, the thread sends the
 * deletion {@link #EMPTY_REPLIES} times. During this time the client ends a connection that is silent.
 */
final class LeaseReturns<V> {

    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Number of replies without a deletion after which an unanswered claim cannot arrive any more. */
    private static final int EMPTY_REPLIES = 10;

    private final Leases<V> leases;
    private final LongSupplier clock;
    private final Timekeeper<HeldLease> timekeeper;

    LeaseReturns(Leases<V> leases, LongSupplier clock) {
        this.leases = leases;
        this.clock = clock;
        this.timekeeper = new Timekeeper<>("millrace-cache-return", RETRY_NANOS, clock, this::returnAll);
    }

    /** Deletes a lease that is not renewed any more. Only the first call for a lease has an effect. Does not block. */
    void add(HeldLease lease) {
        if (!lease.givenBack.compareAndSet(false, true)) {
            return;
        }
        lease.endNanos = clock.getAsLong() + leases.lease().toNanos();
        lease.emptyRepliesLeft = lease.claim == HeldLease.ClaimResult.CONFIRMED ? 1 : EMPTY_REPLIES;
        if (!timekeeper.addDue(lease)) {
            leases.sendReleases(List.of(lease)); // the cache is closed, so no caller waits for this load
        }
    }

    /** Sends the remaining deletions once, without waiting for the replies. */
    void close() {
        leases.sendReleases(timekeeper.drain());
    }

    private void returnAll(List<HeldLease> due) {
        boolean answers = true;
        int from = 0;
        while (answers && from < due.size()) {
            // While the circuit is open, one command is enough as a probe.
            int count = leases.isReachable() ? Leases.LEASES_AT_ONCE : 1;
            List<HeldLease> part = due.subList(from, Math.min(due.size(), from + count));
            answers = leases.releaseAll(part);
            from += part.size();
        }
        for (HeldLease lease : due) {
            if (lease.emptyRepliesLeft > 0 && lease.endNanos - clock.getAsLong() > 0) {
                timekeeper.add(lease);
            }
        }
    }
}
