// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/** Makes entries of what was loaded, with their times. Any thread. */
final class Drafts<V> {

    private final EntryFormat<V> format;
    private final CacheOptions options;
    private final Lifetime<? super V> lifetime;
    private final Surroundings surroundings;

    Drafts(EntryFormat<V> format, CacheOptions options, Lifetime<? super V> lifetime, Surroundings surroundings) {
        this.format = format;
        this.options = options;
        this.lifetime = lifetime;
        this.surroundings = surroundings;
    }

    /** An entry with a value. */
    Draft value(String key, V value) {
        return value(key, value, bounded(lifetime.of(key, given(value))));
    }

    /** The same with a time to live of its own. */
    Draft value(String key, V value, Duration timeToLive) {
        long millis = jittered(timeToLive.toMillis());
        long staleMillis = options.staleFor().toMillis();
        int refreshMillis = (int) Math.min(Integer.MAX_VALUE, (long) (millis * options.refreshAhead()));
        byte[] bytes = format.value(key, given(value), now() + millis, refreshMillis, staleMillis > 0);
        return new Draft(bytes, millis + staleMillis);
    }

    /** An entry that says that there is no value, if that is to be kept. */
    Optional<Draft> none(String key) {
        long millis = options.negativeTimeToLive().toMillis();
        if (millis == 0) {
            return Optional.empty();
        }
        long jittered = jittered(millis);
        return Optional.of(new Draft(format.none(key, now() + jittered), jittered));
    }

    /** The same in the place of a value, which goes in any case. */
    Draft noMore(String key) {
        return none(key).orElseGet(() -> new Draft(format.none(key, now() + 1), 1));
    }

    /** An entry that says that the loader has failed, if that is to be kept. */
    Optional<Draft> failure(String key, Throwable cause) {
        long millis = options.failureTimeToLive().toMillis();
        if (millis == 0) {
            return Optional.empty();
        }
        long jittered = jittered(millis);
        return Optional.of(new Draft(format.failure(key, cause.getClass().getName(), now() + jittered), jittered));
    }

    /** Some codecs have bytes for null, and nobody could be served it. */
    private static <T> T given(T value) {
        return Objects.requireNonNull(value, "a value of a cache is null; remove says that there is none");
    }

    private static Duration bounded(Duration life) {
        if (life.compareTo(CacheOptions.SHORTEST) < 0) {
            return CacheOptions.SHORTEST;
        }
        return life.compareTo(CacheOptions.LONGEST) > 0 ? CacheOptions.LONGEST : life;
    }

    private long jittered(long millis) {
        double share = options.jitter() == 0
                ? 0
                : options.jitter() * surroundings.random().nextDouble();
        return Math.max(1, millis - (long) (millis * share));
    }

    private long now() {
        return surroundings.epochMillis().getAsLong();
    }
}
