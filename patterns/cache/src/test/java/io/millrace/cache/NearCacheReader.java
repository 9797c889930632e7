// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Strings;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

/**
 * Reads keys through a near cache, as a cache does. A value in Redis is a text: the expiry time, a blank, and the
 * content.
 *
 * @param served number of reads that the near cache answered
 */
record NearCacheReader(NearCache<String> near, RedisClient client, String prefix, LongAdder served) {

    private static final String SENTINEL = "sentinel";

    NearCacheReader(NearCache<String> near, RedisClient client, String prefix) {
        this(near, client, prefix, new LongAdder());
    }

    Optional<String> read(String key) {
        Entry<String> kept = near.find(key);
        if (kept != null) {
            served.increment();
            return Optional.of(kept.requireValue());
        }
        NearCache.PendingRead ticket = near.beginRead(key);
        Optional<String> stored = client.call(Strings.get(prefix + key));
        stored.ifPresentOrElse(
                text -> near.completeRead(ticket, TestEntries.sized(text, freshUntil(text), text.length())),
                () -> near.abandonRead(ticket));
        return stored;
    }

    static String text(long freshUntil, String content) {
        return freshUntil + " " + content;
    }

    static long freshUntil(String text) {
        return Long.parseLong(text.substring(0, text.indexOf(' ')));
    }

    /**
     * Waits until the invalidations of all earlier writes have arrived. Invalidations arrive in order, so this method
     * writes another key and waits for its invalidation.
     */
    void awaitInvalidations(RedisClient writer) {
        writer.call(Strings.set(prefix + SENTINEL, text(Long.MAX_VALUE, "before")));
        Eventually.holds(
                "the sentinel is kept",
                () -> {
                    read(SENTINEL);
                    return Optional.ofNullable(near.find(SENTINEL));
                },
                Optional::isPresent);
        writer.call(Strings.set(prefix + SENTINEL, text(Long.MAX_VALUE, "after")));
        Eventually.is("the sentinel is invalidated", Optional.empty(), () -> Optional.ofNullable(near.find(SENTINEL)));
    }
}
