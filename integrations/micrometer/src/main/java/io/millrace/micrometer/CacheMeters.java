// SPDX-License-Identifier: Apache-2.0
package io.millrace.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.millrace.cache.Cache;
import io.millrace.cache.CacheStats;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * The meters of a cache. They read {@link Cache#stats} when a registry is scraped, so they cost nothing per lookup.
 * Thread-safe.
 *
 * <table>
 * <caption>Meters; each has the tag {@code cache}, the name of the cache</caption>
 * <tr><th>meter</th><th>meaning</th></tr>
 * <tr><td>{@code cache.gets}</td><td>lookups of keys; tag {@code result}: {@code hit} or {@code miss}. A stale value and a
 *     negative entry are hits</td></tr>
 * <tr><td>{@code cache.puts}</td><td>entries that Redis has confirmed, of loads, puts and warm-ups</td></tr>
 * <tr><td>{@code millrace.cache.loads}</td><td>loader calls, including failures and background loads</td></tr>
 * <tr><td>{@code millrace.cache.waits}</td><td>callers that waited for the load of another caller</td></tr>
 * <tr><td>{@code millrace.cache.stale}</td><td>lookups that found a stale value</td></tr>
 * <tr><td>{@code millrace.cache.errors}</td><td>commands without a valid reply, and values that could not be encoded</td></tr>
 * <tr><td>{@code millrace.cache.undecodable}</td><td>entries that could not be decoded</td></tr>
 * </table>
 *
 * <p>The meters {@code cache.gets} and {@code cache.puts} have the names of Micrometer, as those of other caches.
 */
public final class CacheMeters implements MeterBinder, AutoCloseable {

    private final RegisteredMeters<Cache<?>> meters;

    /** Creates meters whose tag {@code cache} is {@link Cache#name}. */
    public CacheMeters(Cache<?> cache) {
        this(cache, List.of());
    }

    /** Creates meters with additional tags. */
    public CacheMeters(Cache<?> cache, Iterable<Tag> tags) {
        this.meters = new RegisteredMeters<>(cache, Tags.of(tags).and("cache", cache.name()));
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        gets(registry, "hit", stats -> stats.lookups() - stats.misses());
        gets(registry, "miss", CacheStats::misses);
        counter(registry, "cache.puts", "Entries that Redis has confirmed", CacheStats::writes);
        counter(registry, "millrace.cache.loads", "Loader calls", CacheStats::loads);
        counter(
                registry,
                "millrace.cache.waits",
                "Callers that waited for the load of another caller",
                CacheStats::waits);
        counter(registry, "millrace.cache.stale", "Lookups that found a stale value", CacheStats::staleServes);
        counter(registry, "millrace.cache.errors", "Commands without a valid reply", CacheStats::errors);
        counter(registry, "millrace.cache.undecodable", "Entries that could not be decoded", CacheStats::undecodable);
    }

    private void gets(MeterRegistry registry, String result, ToLongFunction<CacheStats> count) {
        meters.counter(
                registry,
                "cache.gets",
                Tags.of("result", result),
                "Lookups of keys by result",
                cache -> count.applyAsLong(cache.stats()));
    }

    private void counter(MeterRegistry registry, String name, String description, ToLongFunction<CacheStats> count) {
        meters.counter(registry, name, Tags.empty(), description, cache -> count.applyAsLong(cache.stats()));
    }

    /** Removes the meters from the registries to which they are bound. Does not close the cache. */
    @Override
    public void close() {
        meters.removeAll();
    }
}
