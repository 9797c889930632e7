// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.time.Duration;
import java.util.Optional;

/**
 * A value with its origin, or an entry in Redis.
 *
 * @param value empty for a negative entry, for a cached failure, and if the loader has found that there is no value
 * @param state the origin of the value, or the kind of the entry
 * @param timeLeft time until the end of the time to live, by the clock of this process; negative if it has ended; empty if the
 *     value has just been loaded, or if the format of the cache has no times
 * @param bytes size in Redis without the key; 0 for an empty text without a header, and if the value has just been loaded
 */
public record CachedEntry<V>(Optional<V> value, State state, Optional<Duration> timeLeft, int bytes) {

    /** The origin of a value, or the kind of an entry. */
    public enum State {
        /** The loader of this or of another caller has returned the value, or that there is none, during this lookup. */
        LOADED,
        /** The value was cached. */
        FRESH,
        /** The value was cached, and its time to live has ended. */
        STALE,
        /** The absence of a value is cached. */
        NEGATIVE,
        /** A failure of the loader is cached. */
        FAILED
    }

    static <V> CachedEntry<V> of(Entry<V> entry, long nowMillis) {
        boolean timed = !entry.isLoaded() && entry.freshUntil() != Long.MAX_VALUE;
        return new CachedEntry<>(
                Optional.ofNullable(entry.value()),
                state(entry, nowMillis),
                timed ? Optional.of(Duration.ofMillis(entry.freshUntil() - nowMillis)) : Optional.empty(),
                Math.max(0, entry.bytes()));
    }

    private static State state(Entry<?> entry, long nowMillis) {
        if (entry.isLoaded()) {
            return State.LOADED;
        }
        return switch (entry.kind()) {
            case FAILURE -> State.FAILED;
            case NEGATIVE -> State.NEGATIVE;
            case VALUE, ABSENT, UNREACHABLE -> entry.isStale(nowMillis) ? State.STALE : State.FRESH;
        };
    }
}
