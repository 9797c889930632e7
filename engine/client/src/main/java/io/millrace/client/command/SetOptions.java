// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import java.time.Duration;
import java.time.Instant;

/**
 * Options of {@code SET}: condition and expiry.
 *
 * @param expiry the expiry of the key after the command
 */
public record SetOptions(Condition condition, Expiry expiry) {

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
    public static final SetOptions ALWAYS = new SetOptions(Condition.ALWAYS, Expiry.NONE);

    /** Sets the key only if the key does not exist. The key then has no expiry. */
    public static final SetOptions IF_ABSENT = new SetOptions(Condition.IF_ABSENT, Expiry.NONE);

    /** Sets the key only if the key exists. The key then has no expiry. */
    public static final SetOptions IF_PRESENT = new SetOptions(Condition.IF_PRESENT, Expiry.NONE);

    /**
     * Returns a copy with an expiry after {@code ttl}.
     *
     * @param ttl {@link #MIN_TTL} to {@link #MAX_TTL}
     */
    public SetOptions expiringIn(Duration ttl) {
        return new SetOptions(condition, Expiry.after(ttl));
    }

    /** Returns a copy with an expiry at {@code time}. See {@link Expiry.At}. */
    public SetOptions expiringAt(Instant time) {
        return new SetOptions(condition, Expiry.at(time));
    }

    /** Returns a copy that keeps the old expiry of the key. */
    public SetOptions keepingTtl() {
        return new SetOptions(condition, Expiry.KEEP);
    }

    Arguments addTo(Arguments arguments) {
        switch (condition) {
            case ALWAYS -> {}
            case IF_ABSENT -> arguments.add("NX");
            case IF_PRESENT -> arguments.add("XX");
        }
        return ExpiryArguments.addToWrite(arguments, expiry);
    }
}
