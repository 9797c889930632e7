// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

/** A lease that a load claims, holds or has held. Two leases are equal only if they are the same object. */
final class HeldLease {

    final String key;
    final String token;

    /** Whether the claim was answered and this process got the lease. Written by the loader thread. */
    volatile boolean confirmed;

    /** Whether the lease must not be renewed any more. Never becomes false again. */
    volatile boolean stopped;

    HeldLease(String key, String token) {
        this.key = key;
        this.token = token;
    }
}
