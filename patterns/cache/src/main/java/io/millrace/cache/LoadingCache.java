// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.client.exception.RedisException;
import java.util.Collection;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Cache} with one loader for all lookups. Thread-safe. Returned by {@link Cache#loading}, {@link
 * CacheBuilder#buildLoading} and {@link CacheBuilder#buildFinding}. Other operations, such as {@link Cache#put} and
 * {@link Cache#getIfPresent}, are available from {@link #cache}.
 *
 * @param <V> the type of the values; callers must not modify a value
 */
public final class LoadingCache<V> implements AutoCloseable {

    private final Cache<V> cache;
    private final OptionalLoader<V> loader;

    /** Whether a key may have no value: {@link CacheBuilder#buildFinding}. */
    private final boolean optional;

    /** Loads many missing keys with one call; null if each key is loaded separately. */
    private final @Nullable BulkLoader<? extends V> bulkLoader;

    LoadingCache(
            Cache<V> cache, OptionalLoader<V> loader, boolean optional, @Nullable BulkLoader<? extends V> bulkLoader) {
        this.cache = cache;
        this.loader = loader;
        this.optional = optional;
        this.bulkLoader = bulkLoader;
    }

    /**
     * Returns the value of {@code key} as {@link Cache#get} does.
     *
     * @throws NoSuchElementException if the cache was built with {@link CacheBuilder#buildFinding}, and the key has no
     *     value
     */
    public V get(String key) {
        Entry<V> entry = cache.answer(key, loader, optional);
        @Nullable V value = entry.value();
        if (value == null) {
            throw new NoSuchElementException("a key has no value: cache=" + cache.name()
                    + ". To get an empty result for such a key, call find.");
        }
        return value;
    }

    /**
     * Returns the value of {@code key} as {@link Cache#find} does. With a {@link Loader}, the result is empty only if
     * another lookup has cached the absence of the value.
     */
    public Optional<V> find(String key) {
        return Optional.ofNullable(cache.answer(key, loader, true).value());
    }

    /**
     * Returns the value of {@code key} as {@link #find} does, and its origin.
     *
     * @throws CacheException for the same reasons as {@link Cache#get}
     */
    public CachedEntry<V> lookup(String key) {
        return cache.parts.lookups.described(cache.answer(key, loader, true));
    }

    /** Returns the result of {@link #get} as {@link Cache#getAsync} does. */
    public CompletableFuture<V> getAsync(String key) {
        return cache.threads.lookup(() -> get(key));
    }

    /**
     * Returns the values of all {@code keys} as {@link Cache#getAll(Collection, Loader)} does. With a {@link
     * BulkLoader}, one call loads all missing keys, and keys without a value are not in the result.
     *
     * @throws CacheException the first failure, if the load of a key failed
     */
    public Map<String, V> getAll(Collection<String> keys) {
        return getEach(keys).valuesOrThrow();
    }

    /** Returns the values of all {@code keys} as {@link #getAll} does, and the failures. */
    public LookupResults<V> getEach(Collection<String> keys) {
        return bulkLoader == null ? cache.each(keys, loader, optional) : cache.getEach(keys, bulkLoader);
    }

    /**
     * Removes the entry of {@code key} as {@link Cache#remove} does.
     *
     * @throws RedisException if the entry is not removed, or the result is unknown
     */
    public void remove(String key) {
        cache.remove(key);
    }

    /** Returns the cache that this object uses. {@link #close} closes this cache. */
    public Cache<V> cache() {
        return cache;
    }

    /** Closes the cache as {@link Cache#close} does. */
    @Override
    public void close() {
        cache.close();
    }
}
