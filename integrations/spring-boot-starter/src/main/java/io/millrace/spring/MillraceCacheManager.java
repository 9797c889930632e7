// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.cache.CacheStats;
import io.millrace.cache.VersionedCodec;
import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.spring.CacheProperties.CacheKeySet;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;
import org.springframework.cache.interceptor.CacheOperationSource;
import org.springframework.cache.support.NullValue;
import org.springframework.util.StringUtils;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.json.JsonMapper;

/**
 * The cache manager of Spring for caches of Millrace. A cache exists if a cached method uses it, or if {@code
 * millrace.cache.caches.<name>.type} is set. The native cache of Spring's {@code Cache.getNativeCache} is an {@link
 * io.millrace.cache.Cache}. Thread-safe.
 *
 * <p>The caches are created at start. A method that is called earlier creates its cache. With a near cache the creation
 * needs the server.
 */
public final class MillraceCacheManager implements CacheManager, SmartInitializingSingleton, DisposableBean {

    private final CacheEnvironment environment;
    private final FailedPuts failedPuts;
    private final Map<String, Opened> opened = new ConcurrentHashMap<>();
    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by {@link #lock}. */
    private @Nullable CachedTypes types;

    /** What all caches use. */
    record CacheEnvironment(
            CacheProperties keys,
            RedisClient client,
            JsonMapper mapper,
            ConfigurableListableBeanFactory beanFactory,
            CacheOperationSource operations,
            UnaryOperator<Runnable> context,
            List<CacheObserver> observers) {}

    /**
     * A cache that is open.
     *
     * @param seen the cache as the application sees it; follows transactions if the keys say so
     */
    private record Opened(io.millrace.cache.Cache<Object> cache, Cache seen) {}

    MillraceCacheManager(CacheEnvironment environment) {
        this(environment, new FailedPuts());
    }

    MillraceCacheManager(CacheEnvironment environment, FailedPuts failedPuts) {
        this.environment = environment;
        this.failedPuts = failedPuts;
    }

    /** Creates all caches, so that a wrong key or type fails the start. */
    @Override
    public void afterSingletonsInstantiated() {
        if (StringUtils.hasText(environment.keys.defaults().type())) {
            throw new KeyException(
                    CacheProperties.PREFIX + ".defaults.type has no meaning",
                    "Set the type of a single cache: " + CacheProperties.prefix("<name>") + ".type.");
        }
        for (String name : environment.keys.caches().keySet()) {
            if (!isKnown(name)) {
                throw new KeyException(
                        CacheProperties.prefix(name) + " names a cache that no cached method uses",
                        "Correct the name, or set " + CacheProperties.prefix(name) + ".type. The caches are "
                                + types().names() + ".");
            }
        }
        getCacheNames().forEach(this::getCache);
    }

    /** Returns a cache; null if no cached method uses it and its type is unknown. */
    @Override
    public @Nullable Cache getCache(String name) {
        Opened found = opened.get(name);
        if (found == null && isKnown(name)) {
            found = openOnce(name);
        }
        return found == null ? null : found.seen;
    }

    @Override
    public Collection<String> getCacheNames() {
        Set<String> names = new TreeSet<>(types().names());
        environment.keys.caches().forEach((name, keys) -> {
            if (StringUtils.hasText(keys.type())) {
                names.add(name);
            }
        });
        return Collections.unmodifiableSet(names);
    }

    /** The counters of the caches in this process, by name. */
    public Map<String, CacheStats> stats() {
        Map<String, CacheStats> stats = new TreeMap<>();
        opened.forEach((name, one) -> stats.put(name, one.cache.stats()));
        return stats;
    }

    /** Number of puts that failed because Redis did not answer. The methods of these puts have returned their values. */
    public long failedPuts() {
        return failedPuts.total();
    }

    /** Closes all caches. Entries in Redis stay. */
    @Override
    public void destroy() {
        opened.values().forEach(one -> one.cache.close());
        failedPuts.logRest();
    }

    private boolean isKnown(String name) {
        CacheKeySet keys = environment.keys.caches().get(name);
        return (keys != null && StringUtils.hasText(keys.type()))
                || types().names().contains(name);
    }

    private CachedTypes types() {
        lock.lock();
        try {
            CachedTypes found = types;
            if (found == null) {
                found = CachedTypes.of(
                        environment.beanFactory, environment.operations, environment.mapper.getTypeFactory());
                types = found;
            }
            return found;
        } finally {
            lock.unlock();
        }
    }

    private Opened openOnce(String name) {
        lock.lock();
        try {
            Opened found = opened.get(name);
            if (found == null) {
                found = open(name);
                opened.put(name, found);
                io.millrace.cache.Cache<Object> cache = found.cache;
                environment.observers.forEach(observer -> observer.created(cache));
            }
            return found;
        } finally {
            lock.unlock();
        }
    }

    private Opened open(String name) {
        CacheKeySet keys = environment.keys.of(name);
        String prefix = CacheProperties.prefix(name);
        CacheSettings settings = CacheSettings.of(keys, prefix);
        if (settings.transactionAware() && !TransactionAware.isAvailable()) {
            throw new KeyException(
                    prefix + ".transaction-aware=true needs spring-tx and spring-context-support",
                    "Add spring-boot-starter-cache and spring-boot-starter-jdbc, or remove the key.");
        }
        Codec<Object> codec = new ValueCodec(type(name, keys, prefix), environment.mapper);
        Duration timeToLive = settings.options().timeToLive();
        Duration ofNull = settings.options().negativeTimeToLive();
        io.millrace.cache.Cache<Object> cache = builder(name, prefix, withVersion(codec, keys))
                .options(settings.options())
                .expiryPolicy((key, value) -> value instanceof NullValue && !ofNull.isZero() ? ofNull : timeToLive)
                .near(settings.near())
                .context(environment.context)
                .build();
        MillraceCache plain = new MillraceCache(cache, failedPuts);
        return new Opened(cache, settings.transactionAware() ? TransactionAware.decorate(plain) : plain);
    }

    private io.millrace.cache.CacheBuilder<Object> builder(String name, String prefix, Codec<Object> codec) {
        try {
            return io.millrace.cache.Cache.builder(environment.client, name, codec);
        } catch (IllegalArgumentException invalid) {
            throw new KeyException(
                    prefix + " is not a name of a cache: " + invalid.getMessage(),
                    "Give the cached methods another cache.",
                    invalid);
        }
    }

    private static Codec<Object> withVersion(Codec<Object> codec, CacheKeySet keys) {
        Integer version = keys.version();
        return version == null ? codec : VersionedCodec.of(version, codec);
    }

    private JavaType type(String name, CacheKeySet keys, String prefix) {
        String text = keys.type();
        if (text == null || !StringUtils.hasText(text)) {
            return types().of(name).orElseThrow();
        }
        try {
            return environment.mapper.getTypeFactory().constructFromCanonical(text.strip());
        } catch (IllegalArgumentException unknown) {
            throw new KeyException(
                    prefix + ".type=" + text + " is not a type: " + unknown.getMessage(),
                    "Write the full name of the class, with its type arguments, such as "
                            + "java.util.List<com.example.Price>.",
                    unknown);
        }
    }
}
