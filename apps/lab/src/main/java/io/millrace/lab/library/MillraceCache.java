// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.library;

import io.millrace.cache.Cache;
import io.millrace.cache.CacheOptions;
import io.millrace.cache.NearCacheOptions;
import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Millrace's cache. */
record MillraceCache(RedisClient client, Cache<String> cache) implements TextCache {

    /** Renewed while its holder computes: it bounds what a dead one costs, and outlasts a machine that stalls. */
    private static final Duration LEASE = Duration.ofSeconds(30);

    private static final int NEAR_ENTRIES = 100_000;

    /** The longest that the cache lets Redis take is less than its callers' deadline. */
    private static final Duration LONGEST_FOR_REDIS = Duration.ofSeconds(5);

    private static final String SETTINGS =
            "; Codec.text(), default options but for the time that Redis may take, and no jitter; getAll() for many, warmUp() for very many";

    static final List<Source> SOURCES = List.of(
            source("cache", Promise.ONE_IN_EACH, "Cache.get()" + SETTINGS, Duration.ZERO, NearCacheOptions.NONE),
            source(
                    "cache-lease",
                    Promise.ONE_IN_ALL,
                    "Cache.get() with a lease of " + LEASE.toSeconds() + " s" + SETTINGS,
                    LEASE,
                    NearCacheOptions.NONE));

    static final Source NEAR = source(
            "near-cache",
            Promise.ONE_IN_EACH,
            "Cache.get() with a near cache of " + NEAR_ENTRIES + " entries" + SETTINGS,
            Duration.ZERO,
            NearCacheOptions.entries(NEAR_ENTRIES));

    static final Source BARE = new Source(
            "millrace",
            "bare",
            Promise.NONE,
            "no cache: RedisClient.call() with a GET of the text; for very many a BulkWriter with a SET PX for each, fused as by default",
            (endpoint, timeout, connections, timeToLive) -> new MillraceTexts(connect(endpoint)));

    private static Source source(String variant, Promise promise, String note, Duration lease, NearCacheOptions near) {
        return new Source(
                "millrace",
                variant,
                promise,
                note,
                (endpoint, timeout, connections, timeToLive) -> open(endpoint, timeout, timeToLive, lease, near));
    }

    private static TextCache open(
            Endpoint endpoint, Duration timeout, Duration timeToLive, Duration lease, NearCacheOptions near) {
        var client = connect(endpoint);
        try {
            var options = CacheOptions.builder()
                    .timeToLive(timeToLive)
                    .jitter(0)
                    .lease(lease)
                    .redisTimeout(timeout.compareTo(LONGEST_FOR_REDIS) < 0 ? timeout : LONGEST_FOR_REDIS)
                    .build();
            var cache = Cache.builder(client, NAME, Codec.text())
                    .options(options)
                    .near(near)
                    .build();
            return new MillraceCache(client, cache);
        } catch (RuntimeException e) {
            client.close();
            throw e;
        }
    }

    private static RedisClient connect(Endpoint endpoint) {
        return RedisClient.connect(MillraceConnections.builder(endpoint).build());
    }

    @Override
    public String get(String key, Computation computation) {
        return cache.get(key, computation::of);
    }

    @Override
    public void put(String key, String text, Duration timeToLive) {
        cache.put(key, text, timeToLive);
    }

    @Override
    public List<@Nullable String> getAll(List<String> keys) {
        var found = cache.getAll(keys, key -> {
            throw new IllegalStateException("nothing is kept under a key that should have been filled");
        });
        return new ArrayList<>(found.values());
    }

    @Override
    public long putAll(Iterator<Pair> entries) {
        var stats = cache.warmUp(new Iterator<Map.Entry<String, String>>() {
            @Override
            public boolean hasNext() {
                return entries.hasNext();
            }

            @Override
            public Map.Entry<String, String> next() {
                var entry = entries.next();
                return Map.entry(entry.key(), entry.value());
            }
        });
        return stats.written();
    }

    @Override
    public void close() {
        try (client) {
            cache.close();
        }
    }
}
