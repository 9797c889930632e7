// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * When a key is to vanish.
 *
 * @param millis after its last write; empty for never
 */
record Expiry(OptionalLong millis) {

    /** What PTTL answers for a key without an expiry. */
    private static final long NO_EXPIRY = -1;

    /** What PTTL answers where there is no key. */
    static final long NO_KEY = -2;

    /** The clocks of two machines drift, and a server's is corrected now and then. */
    private static final long SLACK_MILLIS = 1_000;

    static Expiry of(Optional<Duration> ttl) {
        return new Expiry(ttl.map(Duration::toMillis).map(OptionalLong::of).orElseGet(OptionalLong::empty));
    }

    /**
     * Whether {@code pttl}, an answer of PTTL, can be what is left of this expiry.
     *
     * @param age how long ago the key can have been written at the earliest
     */
    boolean allows(long pttl, Duration age) {
        if (millis.isEmpty()) {
            return pttl == NO_EXPIRY;
        }
        long full = millis.getAsLong();
        return pttl >= Math.max(0, full - age.toMillis() - SLACK_MILLIS) && pttl <= full;
    }

    /** Whether a key of that age may be gone. */
    boolean mayHavePassed(Duration age) {
        return millis.isPresent() && age.toMillis() + SLACK_MILLIS >= millis.getAsLong();
    }
}
