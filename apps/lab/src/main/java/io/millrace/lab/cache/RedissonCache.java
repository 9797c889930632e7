// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.cache;

import io.millrace.lab.cache.CacheLibrary.Promise;
import io.millrace.lab.client.Target;
import io.netty.channel.epoll.Epoll;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.BatchOptions;
import org.redisson.api.RBatch;
import org.redisson.api.RFuture;
import org.redisson.api.RMap;
import org.redisson.api.RMapCache;
import org.redisson.api.RedissonClient;
import org.redisson.api.options.LocalCachedMapOptions;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;
import org.redisson.config.TransportMode;

/** The objects of Redisson that can serve as a cache: buckets, the map cache, the map with a local cache. */
final class RedissonCache {

    private static final int BATCH = 1_000;
    private static final int BATCHES_IN_FLIGHT = 4;
    private static final int NEAR_ENTRIES = 100_000;

    private static final String SETTINGS =
            "; StringCodec, the default pool of 64 connections, the native transport where there is one, no second attempt"
                    + " of a command, so that the time limit is the same for all libraries";
    private static final String MAP_CACHE_SETTINGS =
            "; RMapCache keeps all entries in one hash, and each get() is a script that looks at the time of the entry; getAll()"
                    + " for many; putAllAsync() of 1,000 entries, four in flight, for a warm-up" + SETTINGS;
    private static final String COLLECTIONS = "https://redisson.pro/docs/data-and-services/collections/";

    static final CacheLibrary BUCKET = new CacheLibrary(
            "redisson",
            "bucket",
            Promise.NONE,
            "RBucket.get(), after a miss compute and RBucket.set() with a time to live; RBuckets.get() for many; RBatch of 1,000"
                    + " sets, four in flight, for a warm-up" + SETTINGS,
            "https://redisson.pro/docs/data-and-services/objects/",
            (target, life) -> new BucketCache(connect(target), life));

    static final CacheLibrary MAP_CACHE = new CacheLibrary(
            "redisson",
            "map-cache",
            Promise.NONE,
            "RMapCache.get(), after a miss compute and fastPut() with a time to live" + MAP_CACHE_SETTINGS,
            COLLECTIONS,
            (target, life) -> MapCache.open(connect(target), life, false));

    static final CacheLibrary COMPUTING = new CacheLibrary(
            "redisson",
            "map-cache-computing",
            Promise.NONE,
            "RMapCache.computeIfAbsent() with a time to live. The lock in Redis covers all processes, so each text is computed"
                    + " once" + MAP_CACHE_SETTINGS,
            COLLECTIONS,
            (target, life) -> MapCache.open(connect(target), life, true));

    static final CacheLibrary LOCAL_MAP = new CacheLibrary(
                    "redisson",
                    "local-cached-map",
                    Promise.NONE,
                    "RLocalCachedMap.get(), after a miss compute and fastPut(); a local cache of " + NEAR_ENTRIES
                            + " entries with eviction LRU, otherwise default options; entries in Redis have no time to live"
                            + SETTINGS,
                    COLLECTIONS,
                    (target, life) -> LocalMap.open(connect(target)))
            .asNear();

    private static RedissonClient connect(Target target) {
        var config = new Config().setTransportMode(Epoll.isAvailable() ? TransportMode.EPOLL : TransportMode.NIO);
        target.username().ifPresent(config::setUsername);
        target.password().ifPresent(config::setPassword);
        config.useSingleServer()
                .setAddress("redis://" + target.host() + ":" + target.port())
                .setDatabase(target.database())
                .setTimeout((int) target.timeout().toMillis())
                .setRetryAttempts(0);
        return Redisson.create(config);
    }

    private static void close(RedissonClient client) {
        client.shutdown(0, Duration.ofMinutes(1).toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Sends groups of 1,000 entries, with four groups in flight. Returns the number of entries, all of them confirmed. */
    private static long writeInGroups(
            Iterator<Map.Entry<String, String>> entries, Function<Map<String, String>, RFuture<?>> write)
            throws Exception {
        long written = 0;
        var inFlight = new ArrayDeque<RFuture<?>>();
        while (entries.hasNext()) {
            Map<String, String> group = new HashMap<>();
            while (group.size() < BATCH && entries.hasNext()) {
                Map.Entry<String, String> entry = entries.next();
                group.put(entry.getKey(), entry.getValue());
            }
            if (inFlight.size() == BATCHES_IN_FLIGHT) {
                inFlight.remove().get();
            }
            inFlight.add(write.apply(group));
            written += group.size();
        }
        for (RFuture<?> reply : inFlight) {
            reply.get();
        }
        return written;
    }

    private static List<@Nullable String> inOrder(List<String> keys, Map<String, String> found) {
        var texts = new ArrayList<@Nullable String>(keys.size());
        keys.forEach(key -> texts.add(found.get(key)));
        return texts;
    }

    private record BucketCache(RedissonClient client, Duration timeToLive) implements CacheLoop {

        @Override
        public @Nullable String find(String key) {
            return client.<String>getBucket(CacheAdapter.redisKey(key), StringCodec.INSTANCE)
                    .get();
        }

        @Override
        public void put(String key, String text, Duration life) {
            client.<String>getBucket(CacheAdapter.redisKey(key), StringCodec.INSTANCE)
                    .set(text, life);
        }

        @Override
        public List<@Nullable String> getAll(List<String> keys) {
            String[] redisKeys = CacheAdapter.redisKeys(keys);
            Map<String, String> found = client.getBuckets(StringCodec.INSTANCE).get(redisKeys);
            return inOrder(List.of(redisKeys), found);
        }

        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // The reply of the batch has the failures of its commands.
        public long putAll(Iterator<Map.Entry<String, String>> entries) throws Exception {
            return writeInGroups(entries, group -> {
                RBatch batch = client.createBatch(BatchOptions.defaults());
                group.forEach((key, text) -> batch.<String>getBucket(CacheAdapter.redisKey(key), StringCodec.INSTANCE)
                        .setAsync(text, timeToLive));
                return batch.executeAsync();
            });
        }

        @Override
        public void close() {
            RedissonCache.close(client);
        }
    }

    private record MapCache(
            RedissonClient client, RMapCache<String, String> map, Duration timeToLive, boolean isComputing)
            implements CacheLoop {

        static CacheAdapter open(RedissonClient client, Duration life, boolean isComputing) {
            return new MapCache(client, client.getMapCache(HASH, StringCodec.INSTANCE), life, isComputing);
        }

        @Override
        public String get(String key, Loader loader) throws Exception {
            return isComputing
                    ? map.computeIfAbsent(key, timeToLive, missing -> compute(loader, missing))
                    : CacheLoop.super.get(key, loader);
        }

        private static String compute(Loader loader, String key) {
            try {
                return loader.load(key);
            } catch (Exception e) {
                throw new IllegalStateException("the computation failed: key=" + key + ".", e);
            }
        }

        @Override
        public @Nullable String find(String key) {
            return map.get(key);
        }

        @Override
        public void put(String key, String text, Duration life) {
            map.fastPut(key, text, life.toMillis(), TimeUnit.MILLISECONDS);
        }

        @Override
        public List<@Nullable String> getAll(List<String> keys) {
            return inOrder(keys, map.getAll(new HashSet<>(keys)));
        }

        @Override
        public long putAll(Iterator<Map.Entry<String, String>> entries) throws Exception {
            return writeInGroups(
                    entries, group -> map.putAllAsync(group, timeToLive.toMillis(), TimeUnit.MILLISECONDS));
        }

        @Override
        public void close() {
            RedissonCache.close(client);
        }
    }

    private record LocalMap(RedissonClient client, RMap<String, String> map, Duration timeToLive) implements CacheLoop {

        static CacheAdapter open(RedissonClient client) {
            return new LocalMap(
                    client,
                    client.getLocalCachedMap(LocalCachedMapOptions.<String, String>name(HASH)
                            .codec(StringCodec.INSTANCE)
                            .cacheSize(NEAR_ENTRIES)
                            .evictionPolicy(LocalCachedMapOptions.EvictionPolicy.LRU)),
                    LONG_LIFE);
        }

        @Override
        public @Nullable String find(String key) {
            return map.get(key);
        }

        @Override
        public void store(String key, String text) {
            map.fastPut(key, text);
        }

        @Override
        public void close() {
            RedissonCache.close(client);
        }
    }
}
