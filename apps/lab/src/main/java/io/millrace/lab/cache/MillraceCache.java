// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.cache;

import io.millrace.cache.Cache;
import io.millrace.cache.CacheOptions;
import io.millrace.cache.NearCacheOptions;
import io.millrace.client.ClientOptions;
import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.lab.cache.CacheLibrary.Promise;
import io.millrace.lab.client.Target;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Millrace's cache. */
record MillraceCache(RedisClient client, Cache<String> cache) implements CacheAdapter {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final int NEAR_ENTRIES = 100_000;

    /** The Redis timeout of the cache must be shorter than the deadline of its callers. */
    private static final Duration LONGEST_REDIS_TIMEOUT = Duration.ofSeconds(5);

    private static final String DOCUMENTATION = "https://github.com/millrace/millrace/blob/main/docs/cache.md";
    private static final String SETTINGS =
            "; Codec.text(), no jitter, otherwise default options. A caller gets a computed"
                    + " text before Redis has stored the text. getAll() for many, warmUp() for a warm-up";

    static final CacheLibrary CACHE = source(
            "cache",
            Promise.ONE_PER_PROCESS,
            "Cache.get(), which computes once in each process",
            Duration.ZERO,
            NearCacheOptions.NONE);

    static final CacheLibrary WITH_LEASE = source(
            "cache-lease",
            Promise.ONE_IN_ALL,
            "Cache.get() with a lease of " + LEASE.toSeconds() + " s, which computes once in all processes",
            LEASE,
            NearCacheOptions.NONE);

    static final CacheLibrary NEAR = source(
                    "near-cache",
                    Promise.ONE_PER_PROCESS,
                    "Cache.get() with a near cache of " + NEAR_ENTRIES + " entries",
                    Duration.ZERO,
                    NearCacheOptions.entries(NEAR_ENTRIES))
            .asNear();

    private static CacheLibrary source(
            String mode, Promise promise, String note, Duration lease, NearCacheOptions near) {
        return new CacheLibrary(
                "millrace",
                mode,
                promise,
                note + SETTINGS,
                DOCUMENTATION,
                (target, life) -> open(target, life, lease, near));
    }

    private static CacheAdapter open(Target target, Duration life, Duration lease, NearCacheOptions near) {
        RedisClient client = connect(target);
        try {
            Duration timeout = target.timeout();
            CacheOptions options = CacheOptions.builder()
                    .timeToLive(life)
                    .jitter(0)
                    .lease(lease)
                    .redisTimeout(timeout.compareTo(LONGEST_REDIS_TIMEOUT) < 0 ? timeout : LONGEST_REDIS_TIMEOUT)
                    .build();
            return new MillraceCache(
                    client,
                    Cache.builder(client, NAME, Codec.text())
                            .options(options)
                            .near(near)
                            .build());
        } catch (RuntimeException e) {
            client.close();
            throw e;
        }
    }

    static RedisClient connect(Target target) {
        RedisUri uri = RedisUri.of(target.host(), target.port()).withDatabase(target.database());
        RedisUri login = target.password()
                .map(password -> target.username()
                        .map(user -> uri.withLogin(user, password))
                        .orElseGet(() -> uri.withPassword(password)))
                .orElse(uri);
        // A contender may start while the machine is busy.
        return RedisClient.connect(ClientOptions.builder(login)
                .connectTimeout(Duration.ofSeconds(30))
                .build());
    }

    @Override
    public String get(String key, Loader loader) {
        return cache.get(key, loader::load);
    }

    @Override
    public void put(String key, String text, Duration life) {
        cache.put(key, text, life);
    }

    @Override
    public List<@Nullable String> getAll(List<String> keys) {
        return new ArrayList<>(cache.getAll(keys, key -> {
                    throw new IllegalStateException("the cache has lost a text: key=" + key + ".");
                })
                .values());
    }

    @Override
    public long putAll(Iterator<Map.Entry<String, String>> entries) {
        return cache.warmUp(entries).written();
    }

    @Override
    public void close() {
        try (client) {
            cache.close();
        }
    }
}
