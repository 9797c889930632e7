// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import java.time.Duration;
import java.util.concurrent.ConcurrentMap;

/** Slots in a cache of Caffeine's. The only class that knows Caffeine, so that whoever has no near cache needs none. */
final class CaffeineSlots {

    /** What an entry takes besides key and value: its node, this slot, the objects' headers. Counted in the fields of each. */
    static final int ENTRY_BYTES = 200;

    /** Of a question to Redis that nobody ends: as long as a command may take at most, by default, and more. */
    private static final Duration LONGEST_QUESTION = Duration.ofMinutes(1);

    private CaffeineSlots() {}

    /**
     * Slots that are limited as {@code options} say, and end no later than their entries in Redis, by this process's time of day when
     * they were kept. What is to be tidied up is done by whoever writes.
     */
    static <V> ConcurrentMap<String, Slot<V>> limited(NearOptions options, Surroundings surroundings) {
        Caffeine<String, Slot<V>> builder = Caffeine.newBuilder()
                .executor(Runnable::run)
                .ticker(surroundings.nanos()::getAsLong)
                .expireAfter(Expiry.<String, Slot<V>>writing((key, slot) -> lifetime(slot, surroundings)));
        builder = options.limit() == NearOptions.Limit.BYTES
                ? builder.maximumWeight(options.most()).weigher(CaffeineSlots::bytes)
                : builder.maximumSize(options.most());
        Cache<String, Slot<V>> cache = builder.build();
        return cache.asMap();
    }

    private static <V> Duration lifetime(Slot<V> slot, Surroundings surroundings) {
        Entry<V> entry = slot.entry();
        if (entry == null) {
            return LONGEST_QUESTION;
        }
        long now = surroundings.epochMillis().getAsLong();
        return Duration.ofMillis(Math.max(0, entry.freshUntil() - now));
    }

    private static <V> int bytes(String key, Slot<V> slot) {
        Entry<V> entry = slot.entry();
        int value = entry == null ? 0 : entry.bytes();
        return (int) Math.min(Integer.MAX_VALUE, ENTRY_BYTES + 2L * key.length() + value);
    }
}
