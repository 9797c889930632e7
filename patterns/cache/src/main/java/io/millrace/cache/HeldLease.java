// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.util.concurrent.atomic.AtomicBoolean;

/** A lease that a load claims, holds or has held. Two leases are equal only if they are the same object. */
final class HeldLease {

    /** The result of the claim, as far as this process knows. */
    enum ClaimResult {
        /** The claim was not sent, or the server did not execute the claim. */
        NOT_EXECUTED,
        /** The claim was sent and has no reply: this process may hold the lease. */
        UNANSWERED,
        /** This process got the lease. */
        CONFIRMED,
        /** Another process holds the lease. */
        REFUSED
    }

    final String key;
    final String token;

    /** Written by the loader thread. */
    volatile ClaimResult claim = ClaimResult.NOT_EXECUTED;

    /** Whether the lease must not be renewed any more. Never becomes false again. */
    volatile boolean stopped;

    /** Whether the lease was given back. The first thread that sets the flag gives the lease back. */
    final AtomicBoolean givenBack = new AtomicBoolean();

    // The next two fields are written before the lease is passed to the thread of LeaseReturns, and then by this
    // thread.
    /** Time in nanoseconds of the clock from which Redis does not have the lease any more in any case. */
    long endNanos;

    /** Number of replies without a deletion after which the lease is certainly deleted. */
    int emptyRepliesLeft;

    HeldLease(String key, String token) {
        this.key = key;
        this.token = token;
    }

    /** Whether this process holds or may hold the lease after its claim. */
    boolean mayBeHeld() {
        return claim == ClaimResult.UNANSWERED || claim == ClaimResult.CONFIRMED;
    }
}
