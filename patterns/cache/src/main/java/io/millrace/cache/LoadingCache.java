// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.client.exception.RedisException;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * A {@link Cache} with one loader for all lookups. Thread-safe. Returned by {@link Cache#loading} and {@link
 * CacheBuilder#buildLoading}. Other operations, such as {@link Cache#put} and {@link Cache#getIfPresent}, are available
 * from {@link #cache}.
 *
 * @param <V> the type of the values; callers must not modify a value
 */
public final class LoadingCache<V> implements AutoCloseable {

    private final Cache<V> cache;
    private final Loader<? extends V> loader;

    LoadingCache(Cache<V> cache, Loader<? extends V> loader) {
        this.cache = cache;
        this.loader = loader;
    }

    /** Returns the value of {@code key} as {@link Cache#get} does. */
    public V get(String key) {
        return cache.get(key, loader);
    }

    /** Returns the value of {@code key} as {@link Cache#getAsync} does. */
    public CompletableFuture<V> getAsync(String key) {
        return cache.getAsync(key, loader);
    }

    /** Returns the values of all {@code keys} as {@link Cache#getAll(Collection, Loader)} does. */
    public Map<String, V> getAll(Collection<String> keys) {
        return cache.getAll(keys, loader);
    }

    /** Returns the values of all {@code keys} and the failures as {@link Cache#getEach} does. */
    public LookupResults<V> getEach(Collection<String> keys) {
        return cache.getEach(keys, loader);
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
