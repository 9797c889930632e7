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

    static Expiry of(Optional<Duration> ttl) {
        return new Expiry(ttl.map(Duration::toMillis).map(OptionalLong::of).orElseGet(OptionalLong::empty));
    }

    /** Whether {@code pttl}, an answer of PTTL, can be what is left of this expiry. */
    boolean allows(long pttl) {
        return millis.isEmpty() ? pttl == NO_EXPIRY : pttl >= 0 && pttl <= millis.getAsLong();
    }
}
