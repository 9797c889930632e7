// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The expiry of a key.
 *
 * @param millis milliseconds after the last write; empty for no expiry
 */
record Expiry(OptionalLong millis) {

    /** The reply of PTTL for a key without an expiry. */
    private static final long NO_EXPIRY = -1;

    /** The reply of PTTL if the key does not exist. */
    static final long NO_KEY = -2;

    /** Tolerance for drift between the clocks of client and server. */
    private static final long SLACK_MILLIS = 1_000;

    static Expiry of(Optional<Duration> ttl) {
        return new Expiry(ttl.map(Duration::toMillis).map(OptionalLong::of).orElseGet(OptionalLong::empty));
    }

    /**
     * Whether {@code pttl}, a reply of PTTL, is possible for a key with this expiry.
     *
     * @param age longest time since the key was written
     */
    boolean allows(long pttl, Duration age) {
        if (millis.isEmpty()) {
            return pttl == NO_EXPIRY;
        }
        long full = millis.getAsLong();
        return pttl >= Math.max(0, full - age.toMillis() - SLACK_MILLIS) && pttl <= full;
    }

    /** How {@code pttl} differs from this expiry. Called only if {@link #allows} has returned false. */
    Difference difference(long pttl) {
        String expected = millis.isPresent() ? Long.toString(millis.getAsLong()) : Long.toString(NO_EXPIRY);
        return Difference.of(Difference.Kind.TTL, expected, Long.toString(pttl));
    }

    /** Whether a key of this age may have expired. */
    boolean mayHavePassed(Duration age) {
        return millis.isPresent() && age.toMillis() + SLACK_MILLIS >= millis.getAsLong();
    }
}
