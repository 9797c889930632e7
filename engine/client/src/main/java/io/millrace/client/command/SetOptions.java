// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import java.time.Duration;

/**
 * Options of {@code SET}: condition and expiry.
 *
 * @param ttl time to live from now, {@link #MIN_TTL} to {@link #MAX_TTL}. Zero has two meanings: if {@code keepTtl} is
 *     true, the key keeps its old expiry; otherwise, the key has no expiry
 * @param keepTtl whether the key keeps its old expiry
 */
public record SetOptions(Condition condition, Duration ttl, boolean keepTtl) {

    /** Condition for setting a key. */
    public enum Condition {
        /** No condition. */
        ALWAYS,
        /** The key must not exist: {@code NX}. */
        IF_ABSENT,
        /** The key must exist: {@code XX}. */
        IF_PRESENT
    }

    /** Shortest time to live: 1 ms. */
    public static final Duration MIN_TTL = Duration.ofMillis(1);

    /** Longest time to live: 36,500 days. Redis adds it to the current time, as milliseconds. */
    public static final Duration MAX_TTL = Duration.ofDays(36_500);

    /** Sets the key without a condition and without an expiry. */
    public static final SetOptions ALWAYS = new SetOptions(Condition.ALWAYS, Duration.ZERO, false);

    /** Sets the key only if the key does not exist. The key then has no expiry. */
    public static final SetOptions IF_ABSENT = new SetOptions(Condition.IF_ABSENT, Duration.ZERO, false);

    /** Sets the key only if the key exists. The key then has no expiry. */
    public static final SetOptions IF_PRESENT = new SetOptions(Condition.IF_PRESENT, Duration.ZERO, false);

    public SetOptions {
        if (!ttl.isZero()) {
            Arguments.ttlMillis(ttl);
            if (keepTtl) {
                throw new IllegalArgumentException("a key cannot keep its expiry and receive a new expiry: ttl=" + ttl);
            }
        }
    }

    /** Returns a copy with an expiry after {@code newTtl}. */
    public SetOptions expiringIn(Duration newTtl) {
        return new SetOptions(condition, newTtl, false);
    }

    /** Returns a copy that keeps the old expiry of the key. */
    public SetOptions keepingTtl() {
        return new SetOptions(condition, Duration.ZERO, true);
    }

    Arguments addTo(Arguments arguments) {
        switch (condition) {
            case ALWAYS -> {}
            case IF_ABSENT -> arguments.add("NX");
            case IF_PRESENT -> arguments.add("XX");
        }
        if (!ttl.isZero()) {
            arguments.add("PX").add(ttl.toMillis());
        }
        return keepTtl ? arguments.add("KEEPTTL") : arguments;
    }
}
