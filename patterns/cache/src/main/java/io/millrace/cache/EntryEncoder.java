// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** Encodes entries and computes their expiry. Thread-safe. */
final class EntryEncoder<V> {

    private final EntryFormat<V> format;
    private final CacheOptions options;
    private final ExpiryPolicy<? super V> expiryPolicy;
    private final ClockAndRandom clockAndRandom;

    EntryEncoder(
            EntryFormat<V> format,
            CacheOptions options,
            ExpiryPolicy<? super V> expiryPolicy,
            ClockAndRandom clockAndRandom) {
        this.format = format;
        this.options = options;
        this.expiryPolicy = expiryPolicy;
        this.clockAndRandom = clockAndRandom;
    }

    /** Encodes a value with its configured time to live. */
    EncodedEntry value(String key, V value) {
        return value(key, value, bounded(expiryPolicy.timeToLive(key, requireValue(value))));
    }

    /** Encodes a value with the given time to live. */
    EncodedEntry value(String key, V value, Duration timeToLive) {
        long millis = jittered(timeToLive.toMillis());
        long staleMillis = options.staleFor().toMillis();
        int refreshMillis = (int) Math.min(Integer.MAX_VALUE, (long) (millis * options.refreshAhead()));
        byte[] bytes = format.value(key, requireValue(value), now() + millis, refreshMillis, staleMillis > 0);
        return new EncodedEntry(bytes, millis + staleMillis);
    }

    /** Encodes values with their configured times to live, in the order of {@code values}. */
    Map<String, EncodedEntry> values(Map<String, ? extends V> values) {
        Map<String, EncodedEntry> entries = new LinkedHashMap<>();
        values.forEach((key, value) -> entries.put(key, value(key, value)));
        return entries;
    }

    /** Encodes a negative entry; empty if negative entries are not cached. */
    Optional<EncodedEntry> negative(String key) {
        long millis = options.negativeTimeToLive().toMillis();
        if (millis == 0) {
            return Optional.empty();
        }
        long jittered = jittered(millis);
        return Optional.of(new EncodedEntry(format.negative(key, now() + jittered), jittered));
    }

    /**
     * Encodes a negative entry that replaces a value. If negative entries are not cached, the entry expires after 1 ms,
     * so that the old value disappears in any case.
     */
    EncodedEntry negativeReplacement(String key) {
        return negative(key).orElseGet(() -> new EncodedEntry(format.negative(key, now() + 1), 1));
    }

    /** Encodes a cached failure; empty if failures are not cached. */
    Optional<EncodedEntry> failure(String key, Throwable cause) {
        long millis = options.failureTimeToLive().toMillis();
        if (millis == 0) {
            return Optional.empty();
        }
        long jittered = jittered(millis);
        return Optional.of(
                new EncodedEntry(format.failure(key, cause.getClass().getName(), now() + jittered), jittered));
    }

    /** Rejects null. Some codecs accept null, but the cache cannot return null to a caller. */
    private static <T> T requireValue(T value) {
        return Objects.requireNonNull(value, "a value of a cache is null. Call remove to delete an entry.");
    }

    private static Duration bounded(Duration timeToLive) {
        if (timeToLive.compareTo(CacheOptions.TIME_TO_LIVE.min()) < 0) {
            return CacheOptions.TIME_TO_LIVE.min();
        }
        return timeToLive.compareTo(CacheOptions.TIME_TO_LIVE.max()) > 0 ? CacheOptions.TIME_TO_LIVE.max() : timeToLive;
    }

    private long jittered(long millis) {
        double share = options.jitter() == 0
                ? 0
                : options.jitter() * clockAndRandom.random().nextDouble();
        return Math.max(1, millis - (long) (millis * share));
    }

    private long now() {
        return clockAndRandom.epochMillis().getAsLong();
    }
}
