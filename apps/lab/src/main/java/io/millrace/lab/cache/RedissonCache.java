// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.cache;

import io.millrace.lab.cache.CacheLibrary.Promise;
import io.millrace.lab.client.Target;
import io.netty.channel.epoll.Epoll;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RBucket;
import org.redisson.api.RMap;
import org.redisson.api.RMapCache;
import org.redisson.api.RedissonClient;
import org.redisson.api.options.LocalCachedMapOptions;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;
import org.redisson.config.TransportMode;

/** The objects of Redisson that can serve as a cache: buckets, the map cache, the map with a local cache. */
final class RedissonCache {

    private static final String SETTINGS =
            "; StringCodec, the default pool of 64 connections, the native transport where there is one, the default"
                    + " number of repetitions of a command";
    private static final String DOCUMENTATION =
            "https://github.com/redisson/redisson/blob/redisson-4.7.0/docs/data-and-services/";

    static final CacheLibrary BUCKET = library(
            "bucket",
            "RBucket.get(), after a miss compute and RBucket.set() with a time to live; RBuckets.get() for many",
            "objects.md",
            (target, life) -> openBuckets(connect(target), life));

    static final CacheLibrary COMPUTING = library(
            "map-cache-computing",
            "RMapCache.computeIfAbsent() with a time to live. The lock in Redis covers all processes, so each text is"
                    + " computed once. RMapCache keeps all entries in one hash",
            "collections.md",
            (target, life) -> openComputing(connect(target), life));

    static final CacheLibrary LOCAL_MAP = library(
                    "local-cached-map",
                    "RLocalCachedMap.get(), after a miss compute and fastPut() with default options: a local cache"
                            + " without a limit; entries in Redis have no time to live",
                    "collections.md",
                    (target, life) -> openLocal(connect(target)))
            .asNear();

    private static CacheLibrary library(String mode, String note, String page, CacheLibrary.Opener opener) {
        return new CacheLibrary("redisson", mode, Promise.NONE, note + SETTINGS, DOCUMENTATION + page, opener);
    }

    private static RedissonClient connect(Target target) {
        var config = new Config().setTransportMode(Epoll.isAvailable() ? TransportMode.EPOLL : TransportMode.NIO);
        target.username().ifPresent(config::setUsername);
        target.password().ifPresent(config::setPassword);
        config.useSingleServer()
                .setAddress("redis://" + target.host() + ":" + target.port())
                .setDatabase(target.database())
                .setTimeout((int) target.timeout().toMillis());
        return Redisson.create(config);
    }

    private static void close(RedissonClient client) {
        client.shutdown(0, Duration.ofMinutes(1).toMillis(), TimeUnit.MILLISECONDS);
    }

    private static CacheAdapter openBuckets(RedissonClient client, Duration timeToLive) {
        Function<String, RBucket<String>> bucket =
                key -> client.getBucket(CacheAdapter.redisKey(key), StringCodec.INSTANCE);
        return new CacheAdapter(
                CacheAdapter.loop(
                        key -> bucket.apply(key).get(),
                        (key, text) -> bucket.apply(key).set(text, timeToLive)),
                (key, text, life) -> bucket.apply(key).set(text, life),
                keys -> {
                    String[] redisKeys = CacheAdapter.redisKeys(keys);
                    Map<String, String> found =
                            client.getBuckets(StringCodec.INSTANCE).get(redisKeys);
                    return Arrays.stream(redisKeys)
                            .<@Nullable String>map(found::get)
                            .toList();
                },
                () -> close(client));
    }

    private static CacheAdapter openComputing(RedissonClient client, Duration timeToLive) {
        RMapCache<String, String> map = client.getMapCache(CacheAdapter.HASH, StringCodec.INSTANCE);
        return new CacheAdapter(
                (key, loader) -> map.computeIfAbsent(key, timeToLive, missing -> {
                    try {
                        return loader.load(missing);
                    } catch (Exception e) {
                        throw new IllegalStateException("the computation failed: key=" + missing + ".", e);
                    }
                }),
                (key, text, life) -> map.fastPut(key, text, life.toMillis(), TimeUnit.MILLISECONDS),
                () -> close(client));
    }

    private static CacheAdapter openLocal(RedissonClient client) {
        var options =
                LocalCachedMapOptions.<String, String>name(CacheAdapter.HASH).codec(StringCodec.INSTANCE);
        RMap<String, String> map = client.getLocalCachedMap(options);
        return new CacheAdapter(
                CacheAdapter.loop(map::get, map::fastPut),
                (key, text, life) -> map.fastPut(key, text),
                () -> close(client));
    }
}
