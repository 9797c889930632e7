// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.api;

import io.millrace.cache.Cache;
import io.millrace.cache.CacheBuilder;
import io.millrace.cache.CacheOptions;
import io.millrace.cache.LoadingCache;
import io.millrace.cache.NearCacheOptions;
import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** Opens the cache of the values. */
public final class ValueCache {

    /** Name of the cache in the routes. */
    public static final String NAME = "value";

    /** Prefix of the keys in Redis. No other program has keys that begin with the name of this one. */
    static final String PREFIX = "millrace:value";

    private static final int DIFFERENT_VALUES = 100;

    private ValueCache() {}

    /** Returns the cache. Without a source, a value takes some time and is {@code {key}-value-{0..99}}. */
    public static LoadingCache<String> open(RedisClient client, ValueKeys keys, @Nullable ValueSource source) {
        ValueSource used = source == null ? key -> demonstration(key, keys.computation()) : source;
        CacheOptions options = CacheOptions.builder()
                .timeToLive(keys.ttl())
                .jitter(0)
                .staleFor(keys.staleFor())
                .lease(keys.lease())
                .deadline(keys.timeout())
                .loadTimeout(keys.timeout())
                .build();
        CacheBuilder<String> builder =
                Cache.builder(client, PREFIX, Codec.text()).options(options);
        return (keys.nearEntries() == 0 ? builder : builder.near(NearCacheOptions.entries(keys.nearEntries())))
                .buildLoading(used::compute);
    }

    private static String demonstration(String key, Duration computation) throws InterruptedException {
        Thread.sleep(computation);
        return key + "-value-" + ThreadLocalRandom.current().nextInt(DIFFERENT_VALUES);
    }
}
