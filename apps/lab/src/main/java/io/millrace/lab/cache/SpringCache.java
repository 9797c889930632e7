// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.cache;

import io.millrace.lab.cache.CacheLibrary.Promise;
import io.millrace.lab.client.Target;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.springframework.cache.Cache;
import org.springframework.data.redis.cache.RedisCacheConfiguration;
import org.springframework.data.redis.cache.RedisCacheManager;
import org.springframework.data.redis.cache.RedisCacheWriter;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.serializer.RedisSerializationContext.SerializationPair;
import org.springframework.data.redis.serializer.RedisSerializer;

/** Spring Cache with Spring Data Redis: the calls that the interceptor of {@code @Cacheable} makes. */
final class SpringCache {

    /** What the program asks of {@code @Cacheable}. */
    private enum CacheableUse {
        PLAIN,
        SYNC,
        SYNC_LOCKING,
        GUARDED
    }

    private static final String SETTINGS =
            "; RedisCacheManager on Lettuce with one shared connection, StringRedisSerializer,"
                    + " without the proxy of the annotation; by default a caller does not wait for the write of a computed text; Spring"
                    + " Cache has no call for many keys, so opsForValue().multiGet() reads many";

    static final CacheLibrary CACHEABLE = library(
            "cacheable",
            "Cache.get(key), after a miss compute and Cache.put(), as @Cacheable does",
            CacheableUse.PLAIN);

    static final CacheLibrary SYNC = library(
            "cacheable-sync",
            "Cache.get(key, Callable), as @Cacheable(sync = true) does, with the default writer, which does not lock",
            CacheableUse.SYNC);

    static final CacheLibrary SYNC_LOCKING = library(
            "cacheable-sync-locking",
            "Cache.get(key, Callable), as @Cacheable(sync = true) does, with a locking writer. The lock in Redis covers the"
                    + " whole cache and all processes, so each text is computed once; by default the lock does not expire",
            CacheableUse.SYNC_LOCKING);

    static final CacheLibrary GUARDED = library(
            "cacheable-error-handler",
            "Cache.get(key), after a miss compute and Cache.put(), with exceptions of both calls ignored, as @Cacheable does"
                    + " with a CacheErrorHandler such as LoggingCacheErrorHandler",
            CacheableUse.GUARDED);

    private static CacheLibrary library(String mode, String note, CacheableUse use) {
        return new CacheLibrary(
                "spring",
                mode,
                Promise.NONE,
                note + SETTINGS,
                "https://github.com/spring-projects/spring-data-redis/blob/4.1.1/src/main/antora/modules/ROOT/pages/redis/redis-cache.adoc",
                (target, life) -> open(target, life, use));
    }

    private static CacheAdapter open(Target target, Duration life, CacheableUse use) {
        LettuceConnectionFactory factory = connect(target);
        try {
            var configuration = RedisCacheConfiguration.defaultCacheConfig()
                    .entryTtl(life)
                    .computePrefixWith(name -> name + ":")
                    .serializeValuesWith(SerializationPair.fromSerializer(RedisSerializer.string()));
            RedisCacheWriter writer = use == CacheableUse.SYNC_LOCKING
                    ? RedisCacheWriter.lockingRedisCacheWriter(factory)
                    : RedisCacheWriter.nonLockingRedisCacheWriter(factory);
            var manager = RedisCacheManager.builder(writer)
                    .cacheDefaults(configuration)
                    .build();
            manager.afterPropertiesSet();
            Cache cache = Objects.requireNonNull(manager.getCache(CacheAdapter.NAME));
            return adapter(use, cache, new StringRedisTemplate(factory), factory);
        } catch (RuntimeException e) {
            factory.destroy();
            throw e;
        }
    }

    private static LettuceConnectionFactory connect(Target target) {
        var server = new RedisStandaloneConfiguration(target.host(), target.port());
        server.setDatabase(target.database());
        target.username().ifPresent(server::setUsername);
        target.password().ifPresent(server::setPassword);
        var client = LettuceClientConfiguration.builder()
                .commandTimeout(target.timeout())
                .shutdownQuietPeriod(Duration.ZERO)
                .build();
        var factory = new LettuceConnectionFactory(server, client);
        factory.setEagerInitialization(true);
        try {
            factory.afterPropertiesSet();
            return factory;
        } catch (RuntimeException e) {
            factory.destroy();
            throw e;
        }
    }

    private static CacheAdapter adapter(
            CacheableUse use, Cache cache, StringRedisTemplate template, LettuceConnectionFactory factory) {
        CacheAdapter.Finder find = key -> cache.get(key, String.class);
        var values = template.opsForValue();
        return new CacheAdapter(
                switch (use) {
                    case PLAIN -> CacheAdapter.loop(find, cache::put);
                    case GUARDED -> CacheAdapter.guardedLoop(find, cache::put);
                    case SYNC, SYNC_LOCKING ->
                        (key, loader) -> Objects.requireNonNull(cache.get(key, () -> loader.load(key)));
                },
                (key, text, life) -> values.set(CacheAdapter.redisKey(key), text, life),
                keys -> Objects.requireNonNull(values.multiGet(List.of(CacheAdapter.redisKeys(keys)))),
                factory::destroy);
    }
}
