// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.library;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.Cache;
import org.springframework.data.redis.cache.RedisCacheConfiguration;
import org.springframework.data.redis.cache.RedisCacheManager;
import org.springframework.data.redis.cache.RedisCacheWriter;
import org.springframework.data.redis.cache.RedisCacheWriter.RedisCacheWriterConfigurer;
import org.springframework.data.redis.connection.DefaultStringRedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnection.PipeliningFlushPolicy;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.serializer.RedisSerializationContext.SerializationPair;
import org.springframework.data.redis.serializer.RedisSerializer;

/**
 * Spring Cache with Spring Data Redis: what the interceptor of {@code @Cacheable} does with its cache.
 *
 * @param way in which a text is asked for
 */
record SpringCache(SpringLibrary.Opened opened, Cache cache, Duration timeToLive, Way way) implements TextCache {

    /** What {@code @Cacheable} is told. */
    private enum Way {
        /** Nothing. */
        PLAIN,
        /** {@code sync = true}. */
        SYNCHRONOUS,
        /** Nothing, with an error handler that lets the method be called. */
        GUARDED
    }

    /** Of one pipeline, and of what is sent at once within it. */
    private static final int PIPELINE = 10_000;

    private static final int FLUSH_EVERY = 1_000;

    private static final String SETTINGS =
            "; RedisCacheManager on Lettuce, one connection, shared; a caller that has computed waits"
                    + " until its text is written (immediateWrites), where by default Spring, and always Millrace, hands it out before;"
                    + " texts by StringRedisSerializer; without the annotations' proxy, in its favour; opsForValue().multiGet() for many"
                    + " and executePipelined() of 10,000 PSETEX, flushed every 1,000, for very many, since Spring Cache has nothing for"
                    + " either";

    static final List<Source> SOURCES = List.of(
            source(
                    "cacheable",
                    "Cache.get(key), else compute and Cache.put(): what @Cacheable does",
                    Way.PLAIN,
                    SpringCache::plain),
            source(
                    "cacheable-sync",
                    "Cache.get(key, Callable): what @Cacheable(sync = true) does, with the writer that is the default, which does"
                            + " not lock",
                    Way.SYNCHRONOUS,
                    SpringCache::plain),
            source(
                    "cacheable-sync-locking",
                    "Cache.get(key, Callable): what @Cacheable(sync = true) does, with a writer that locks the whole cache in Redis;"
                            + " by default that lock has no end of its own",
                    Way.SYNCHRONOUS,
                    SpringCache::locking));

    static final Source GUARDED = source(
            "cacheable-error-handler",
            "Cache.get(key), else compute and Cache.put(), either of which may fail: what @Cacheable does with a CacheErrorHandler"
                    + " such as LoggingCacheErrorHandler, here without the log",
            Way.GUARDED,
            SpringCache::plain);

    private static void plain(RedisCacheWriterConfigurer writer) {
        writer.immediateWrites();
    }

    private static void locking(RedisCacheWriterConfigurer writer) {
        writer.immediateWrites().enableLocking();
    }

    private static Source source(String variant, String note, Way way, Consumer<RedisCacheWriterConfigurer> writer) {
        return new Source(
                "spring",
                variant,
                Promise.NONE,
                note + SETTINGS,
                (endpoint, timeout, connections, timeToLive) -> open(endpoint, timeout, timeToLive, way, writer));
    }

    private static TextCache open(
            Endpoint endpoint,
            Duration timeout,
            Duration timeToLive,
            Way way,
            Consumer<RedisCacheWriterConfigurer> writer) {
        var opened = SpringLibrary.Opened.withSharedConnection(endpoint, timeout);
        try {
            opened.factory().setPipeliningFlushPolicy(PipeliningFlushPolicy.buffered(FLUSH_EVERY));
            var configuration = RedisCacheConfiguration.defaultCacheConfig()
                    .entryTtl(timeToLive)
                    .computePrefixWith(name -> name + ":")
                    .serializeValuesWith(SerializationPair.fromSerializer(RedisSerializer.string()));
            var manager = RedisCacheManager.builder(RedisCacheWriter.create(opened.factory(), writer))
                    .cacheDefaults(configuration)
                    .build();
            manager.afterPropertiesSet();
            return new SpringCache(opened, Objects.requireNonNull(manager.getCache(NAME)), timeToLive, way);
        } catch (RuntimeException e) {
            opened.close();
            throw e;
        }
    }

    @Override
    public String get(String key, Computation computation) throws Exception {
        if (way == Way.SYNCHRONOUS) {
            return Objects.requireNonNull(cache.get(key, () -> computation.of(key)));
        }
        var found = found(key);
        if (found != null) {
            return (String) Objects.requireNonNull(found.get());
        }
        var text = computation.of(key);
        keep(key, text);
        return text;
    }

    private Cache.@Nullable ValueWrapper found(String key) {
        try {
            return cache.get(key);
        } catch (RuntimeException e) {
            if (way == Way.GUARDED) {
                return null;
            }
            throw e;
        }
    }

    private void keep(String key, String text) {
        try {
            cache.put(key, text);
        } catch (RuntimeException e) {
            if (way != Way.GUARDED) {
                throw e;
            }
        }
    }

    @Override
    public void put(String key, String text, Duration timeToLive) {
        opened.template().opsForValue().set(NAME + ":" + key, text, timeToLive);
    }

    @Override
    public List<@Nullable String> getAll(List<String> keys) {
        var found = opened.template()
                .opsForValue()
                .multiGet(keys.stream().map(key -> NAME + ":" + key).toList());
        return new ArrayList<@Nullable String>(Objects.requireNonNull(found));
    }

    @Override
    public long putAll(Iterator<Pair> entries) {
        long written = 0;
        while (entries.hasNext()) {
            written += pipeline(entries);
        }
        return written;
    }

    /** {@code executePipelined} throws the first error that the server answered with. */
    private int pipeline(Iterator<Pair> entries) {
        var sent = new AtomicInteger();
        opened.template().executePipelined((RedisCallback<@Nullable Object>) connection -> {
            var pipeline = new DefaultStringRedisConnection(connection);
            for (; sent.get() < PIPELINE && entries.hasNext(); sent.incrementAndGet()) {
                var entry = entries.next();
                pipeline.pSetEx(NAME + ":" + entry.key(), timeToLive.toMillis(), entry.value());
            }
            return null;
        });
        return sent.get();
    }

    @Override
    public void close() {
        opened.close();
    }
}
