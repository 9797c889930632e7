// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import java.time.Duration;
import java.util.concurrent.ConcurrentMap;

/**
 * Creates the map of a near cache with Caffeine. No other class refers to Caffeine, so an application without a near
 * cache does not need Caffeine.
 */
final class CaffeineNearSlots {

    /** Estimated overhead of an entry in bytes: the node, the slot and the object headers. */
    static final int ENTRY_BYTES = 200;

    /**
     * Time to live of a placeholder. A placeholder shows that a read of the key is in progress. If the read never ends,
     * the placeholder must expire. This time is longer than the default timeout of a command.
     */
    private static final Duration MARK_EXPIRY = Duration.ofMinutes(1);

    private CaffeineNearSlots() {}

    /**
     * Returns an empty map with the limit of {@code options}. An entry with a header expires no later than the same
     * entry in Redis. The time until the expiry is computed with the wall clock of this process when the entry is
     * inserted. The maintenance of Caffeine runs on the thread that writes to the map.
     *
     * @param longest maximum time for which an entry stays in the map
     */
    static <V> ConcurrentMap<String, NearSlot<V>> create(
            NearCacheOptions options, ClockAndRandom clockAndRandom, Duration longest) {
        Caffeine<String, NearSlot<V>> builder = Caffeine.newBuilder()
                .executor(Runnable::run)
                .ticker(clockAndRandom.nanos()::getAsLong)
                .expireAfter(Expiry.<String, NearSlot<V>>writing(
                        (key, nearSlot) -> lifetime(nearSlot, clockAndRandom, longest)));
        builder = options.limit() == NearCacheOptions.Limit.BYTES
                ? builder.maximumWeight(options.maximum()).weigher(CaffeineNearSlots::bytes)
                : builder.maximumSize(options.maximum());
        Cache<String, NearSlot<V>> cache = builder.build();
        return cache.asMap();
    }

    private static <V> Duration lifetime(NearSlot<V> nearSlot, ClockAndRandom clockAndRandom, Duration longest) {
        Entry<V> entry = nearSlot.entry();
        if (entry == null) {
            return MARK_EXPIRY;
        }
        long now = clockAndRandom.epochMillis().getAsLong();
        return Duration.ofMillis(Math.clamp(entry.freshUntil() - now, 0, longest.toMillis()));
    }

    private static <V> int bytes(String key, NearSlot<V> nearSlot) {
        Entry<V> entry = nearSlot.entry();
        int value = entry == null ? 0 : Math.max(0, entry.bytes());
        return (int) Math.min(Integer.MAX_VALUE, ENTRY_BYTES + 2L * key.length() + value);
    }
}
