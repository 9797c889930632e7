// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import java.time.Duration;
import java.time.Instant;

/** The expiry that a command gives to a key or a field. */
public sealed interface Expiry {

    /** The key keeps its old expiry. */
    Expiry KEEP = new Keep();

    /** The key has no expiry. */
    Expiry NONE = new None();

    /** The key keeps its old expiry. A new key has no expiry. */
    record Keep() implements Expiry {}

    /** The key has no expiry. */
    record None() implements Expiry {}

    /**
     * The key expires after a time to live.
     *
     * @param ttl time to live from now, {@link SetOptions#MIN_TTL} to {@link SetOptions#MAX_TTL}
     */
    record After(Duration ttl) implements Expiry {
        public After {
            Arguments.ttlMillis(ttl);
        }
    }

    /**
     * The key expires at a time. A time in the past deletes the key.
     *
     * @param time from 1970-01-01T00:00:00.001Z to the end of the year 9999, in whole milliseconds
     */
    record At(Instant time) implements Expiry {
        public At {
            Arguments.epochMillis(time);
        }
    }

    /** Returns an expiry after {@code ttl}. See {@link After}. */
    static Expiry after(Duration ttl) {
        return new After(ttl);
    }

    /** Returns an expiry at {@code time}. See {@link At}. */
    static Expiry at(Instant time) {
        return new At(time);
    }
}
