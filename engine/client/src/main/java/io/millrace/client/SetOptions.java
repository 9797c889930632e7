// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.time.Duration;

/**
 * When {@code SET} sets, and what becomes of the expiry.
 *
 * @param ttl from now on, 1 ms to 36,500 days; zero: no expiry, or the one it has
 * @param keepTtl whether it keeps the expiry that it has
 */
public record SetOptions(Condition condition, Duration ttl, boolean keepTtl) {

    /** When a key is set. */
    public enum Condition {
        /** Whatever was there. */
        ALWAYS,
        /** Only if the key is not there: {@code NX}. */
        IF_ABSENT,
        /** Only if the key is there: {@code XX}. */
        IF_PRESENT
    }

    /** Always, without an expiry. */
    public static final SetOptions ALWAYS = new SetOptions(Condition.ALWAYS, Duration.ZERO, false);

    /** Only if the key is not there, without an expiry. */
    public static final SetOptions IF_ABSENT = new SetOptions(Condition.IF_ABSENT, Duration.ZERO, false);

    /** Only if the key is there, without an expiry. */
    public static final SetOptions IF_PRESENT = new SetOptions(Condition.IF_PRESENT, Duration.ZERO, false);

    public SetOptions {
        if (!ttl.isZero()) {
            Arguments.ttlMillis(ttl);
            if (keepTtl) {
                throw new IllegalArgumentException("a key cannot keep its expiry and get a new one: ttl=" + ttl);
            }
        }
    }

    /** These options, with an expiry after {@code newTtl}. */
    public SetOptions expiringIn(Duration newTtl) {
        return new SetOptions(condition, newTtl, false);
    }

    /** These options, with the expiry that the key has. */
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
