// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import java.time.Duration;
import java.util.Optional;

/**
 * The options that all targets share.
 *
 * @param key template of the key, such as {@code customer:{id}}
 * @param ttl expiry of the whole key, at least 1 ms, set in the same step as the write; empty for no expiry
 * @param nullText text that is written for NULL in a value, but never in a key; empty if NULL is left out
 */
public record TargetOptions(String key, Optional<Duration> ttl, Optional<String> nullText) {

    private static final Duration SHORTEST_TTL = Duration.ofMillis(1);

    /** Redis adds the expiry to the current time, as 64-bit milliseconds. Half of the range avoids an overflow. */
    private static final Duration LONGEST_TTL = Duration.ofMillis(Long.MAX_VALUE / 2);

    /** Options with this key, without an expiry and without a text for NULL. */
    public static TargetOptions of(String key) {
        return new TargetOptions(key, Optional.empty(), Optional.empty());
    }

    /** These options with an expiry. */
    public TargetOptions withTtl(Duration newTtl) {
        return new TargetOptions(key, Optional.of(newTtl), nullText);
    }

    /** These options with a text for NULL. */
    public TargetOptions withNullText(String text) {
        return new TargetOptions(key, ttl, Optional.of(text));
    }

    /**
     * Checks the range of the expiry.
     *
     * @throws PlanException if the expiry is out of range
     */
    void check() {
        ttl.ifPresent(expiry -> {
            if (expiry.compareTo(SHORTEST_TTL) < 0 || expiry.compareTo(LONGEST_TTL) > 0) {
                throw new PlanException("ttl is out of range: ttl=" + expiry + " (1 ms to " + LONGEST_TTL.toDays()
                        + " days). Choose a value in this range.");
            }
        });
    }
}
