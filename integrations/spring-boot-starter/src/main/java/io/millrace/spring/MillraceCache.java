// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.cache.LoadFailedException;
import io.millrace.client.exception.RedisException;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.Cache;
import org.springframework.cache.support.NullValue;
import org.springframework.cache.support.SimpleValueWrapper;

/**
 * A cache of Spring on a cache of Millrace. A null is stored as {@link NullValue}. If the time to live of
 * a null is zero, a null is not stored, and a put of a null removes the key.
 *
 * <p>If Redis is away, lookups miss, puts fail silently with a count, and evictions throw, because a stale value would stay. A
 * put that removes the key throws, too.
 * With {@code sync = true}, the method runs on the thread of its caller, and the other callers of the key wait.
 */
final class MillraceCache implements Cache {

    /** Lookups of asynchronous methods must not block their callers. */
    private static final Executor LOOKUPS =
            task -> Thread.ofVirtual().name("millrace-cache-lookup").start(task);

    private final io.millrace.cache.Cache<Object> cache;
    private final KeyText keys;
    private final FailedPuts failedPuts;

    MillraceCache(io.millrace.cache.Cache<Object> cache, FailedPuts failedPuts) {
        this.cache = cache;
        this.keys = new KeyText(cache.name());
        this.failedPuts = failedPuts;
    }

    @Override
    public String getName() {
        return cache.name();
    }

    @Override
    public io.millrace.cache.Cache<Object> getNativeCache() {
        return cache;
    }

    @Override
    public @Nullable ValueWrapper get(Object key) {
        return wrapper(cache.getIfPresent(keys.of(key)));
    }

    @Override
    @SuppressWarnings("unchecked") // the values have the type of the cached method
    public <T> @Nullable T get(Object key, @Nullable Class<T> type) {
        Object value = toUserOrNull(cache.getIfPresent(keys.of(key)));
        if (value != null && type != null && !type.isInstance(value)) {
            throw new IllegalStateException("a cached value has another type: cache=" + getName() + ", expected="
                    + type.getName() + ", found=" + value.getClass().getName());
        }
        return (T) value;
    }

    @Override
    @SuppressWarnings("unchecked") // the values have the type of the cached method
    public <T> @Nullable T get(Object key, Callable<T> valueLoader) {
        try {
            return (T) toUserOrNull(cache.findOnCallerThread(
                    keys.of(key), text -> toStoredIfCached(MethodFailures.unwrapped(valueLoader))));
        } catch (LoadFailedException failed) {
            throw new ValueRetrievalException(key, valueLoader, MethodFailures.causeFor(valueLoader, failed));
        }
    }

    @Override
    public CompletableFuture<?> retrieve(Object key) {
        String text = keys.of(key);
        return CompletableFuture.supplyAsync(() -> wrapper(cache.getIfPresent(text)), LOOKUPS);
    }

    @Override
    @SuppressWarnings("unchecked") // the values have the type of the cached method
    public <T> CompletableFuture<T> retrieve(Object key, Supplier<CompletableFuture<T>> valueLoader) {
        CompletableFuture<T> result = new CompletableFuture<>();
        var unused = cache.findAsync(
                        keys.of(key), text -> toStoredIfCached(join(MethodFailures.unwrapped(valueLoader::get))))
                .whenComplete((value, failure) -> {
                    if (failure == null) {
                        result.complete((T) toUserOrNull(value));
                    } else {
                        result.completeExceptionally(cause(failure));
                    }
                });
        return result;
    }

    @Override
    public void put(Object key, @Nullable Object value) {
        String text = keys.of(key);
        if (isNotCached(value)) {
            cache.remove(text);
            return;
        }
        try {
            cache.put(text, toStored(value));
        } catch (RedisException failed) {
            failedPuts.failed(getName(), failed);
        }
    }

    @Override
    public @Nullable ValueWrapper putIfAbsent(Object key, @Nullable Object value) {
        String text = keys.of(key);
        if (isNotCached(value)) {
            return wrapper(cache.getIfPresent(text));
        }
        return wrapper(cache.putIfAbsent(text, toStored(value)));
    }

    @Override
    public void evict(Object key) {
        cache.remove(keys.of(key));
    }

    @Override
    public void clear() {
        cache.clear();
    }

    private static @Nullable ValueWrapper wrapper(Optional<Object> stored) {
        return stored.isEmpty() ? null : new SimpleValueWrapper(toUser(stored.get()));
    }

    /** Whether {@code value} is a null, and the time to live of a null is zero. */
    private boolean isNotCached(@Nullable Object value) {
        return value == null && cache.options().negativeTimeToLive().isZero();
    }

    /** The loaded value as the cache stores it; empty for a null that is not cached. */
    private Optional<Object> toStoredIfCached(@Nullable Object value) {
        return isNotCached(value) ? Optional.empty() : Optional.of(toStored(value));
    }

    private static Object toStored(@Nullable Object value) {
        return value == null ? NullValue.INSTANCE : value;
    }

    private static @Nullable Object toUser(Object stored) {
        return stored instanceof NullValue ? null : stored;
    }

    private static @Nullable Object toUserOrNull(Optional<Object> stored) {
        return stored.map(MillraceCache::toUser).orElse(null);
    }

    /** Waits for a loader, on a virtual thread of the cache. */
    private static <T> T join(CompletableFuture<T> loader) throws Exception {
        try {
            return loader.get();
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof Exception cause ? cause : failed;
        }
    }

    /** The exception of the method, without the exceptions that wrap it. */
    private static Throwable cause(Throwable failure) {
        Throwable cause = failure;
        while ((cause instanceof CompletionException || cause instanceof LoadFailedException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }
}
