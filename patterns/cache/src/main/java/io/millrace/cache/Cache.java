// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.Setting;
import io.millrace.client.exception.RedisException;
import java.time.Duration;
import java.util.Collection;
import java.util.Iterator;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A cache-aside cache in Redis. A missing value is loaded once, stored with a TTL, and shared by all processes.
 *
 * <pre>{@code
 * Cache<String> pages = Cache.of(client, "pages", Codec.text(), CacheOptions.defaults());
 * String page = pages.get("home", key -> render(key));
 * }</pre>
 *
 * <p>If several callers request a missing key at the same time, the callers share one load. Without a {@linkplain
 * CacheOptions#lease lease}, the callers of each process share one load. With a lease, the callers of all processes
 * share one load. Loaders run on virtual threads of the cache. No caller waits longer than its deadline, and a load
 * continues after its callers have left. All callers of a load receive the same object.
 *
 * <p>If Redis is slow or unreachable, the cache calls the loaders without Redis. All callers of this process that wait
 * for a key still share one loader call. The cache uses Redis again as soon as Redis answers. The application need not
 * react. A value is never served under another key. After {@link #remove}, this process does not write the values of
 * loads that began before the removal. With a lease, no process writes such values.
 *
 * <p>The entry of {@code key} is the Redis string {@code name:key}. Thread-safe. Each running loader holds one permit.
 * The number of permits is {@link CacheOptions#concurrentLoads}. A loader may read another key of the cache, but keeps
 * its permit while it waits for the value of this key.
 *
 * @param <V> the type of the values; callers must not modify a value
 */
public final class Cache<V> implements AutoCloseable {

    /** Maximum number of keys of one {@link #getAll}. */
    private static final int MAX_KEYS = 1_000_000;

    private final String name;
    private final StatsCounter statsCounter = new StatsCounter();
    private final NearCache<V> nearCache;
    private final EntryEncoder<V> entryEncoder;
    private final EntryStore<V> entryStore;
    private final @Nullable Leases<V> leases;
    private final InFlightLoads<V> inFlightLoads = new InFlightLoads<>();
    private final Lookups<V> lookups;
    private final MultiGet<V> multiGet;
    private final long redisNanos;

    /** Set once, by {@link #close}. */
    private volatile boolean closed;

    Cache(
            RedisClient client,
            String name,
            Codec<V> codec,
            CacheOptions options,
            ExpiryPolicy<? super V> expiryPolicy,
            NearCache<V> nearCache,
            ClockAndRandom clockAndRandom) {
        EntryFormat<V> format = new EntryFormat<>(name, codec);
        this.name = name;
        this.nearCache = nearCache;
        this.entryEncoder = new EntryEncoder<>(format, options, expiryPolicy, clockAndRandom);
        this.entryStore = new EntryStore<>(client, name, format, options.redisTimeout(), statsCounter);
        this.leases = options.lease().isZero() ? null : new Leases<>(entryStore, options.lease());
        LoadedEntryWriter<V> writer = new LoadedEntryWriter<>(inFlightLoads, entryStore, leases);
        LoaderInvoker<V> invoker = new LoaderInvoker<>(entryEncoder, entryStore, clockAndRandom, statsCounter);
        LoadAdmission admission = new LoadAdmission(options.concurrentLoads());
        LoadTiming timing = new LoadTiming(clockAndRandom, options.deadline());
        LoadStrategy<V> strategy = leases == null
                ? new DirectLoad<>(entryStore, admission, invoker, timing)
                : new LeasedLoad<>(leases, admission, invoker, timing);
        LoadRunner<V> runner = new LoadRunner<>(inFlightLoads, strategy, writer, admission);
        this.lookups =
                new Lookups<>(nearCache, entryStore, inFlightLoads, runner, options, clockAndRandom, statsCounter);
        this.multiGet = new MultiGet<>(lookups, nearCache, entryStore, inFlightLoads, writer, statsCounter);
        this.redisNanos = options.redisTimeout().toNanos();
    }

    /**
     * Returns the cache {@code name} on the server of {@code client}. The cache does not close the client.
     *
     * <p>If {@code codec} cannot decode an entry, the entry counts as a miss and as undecodable. If {@code codec}
     * cannot encode a loaded value, the callers of the load get the value, and nothing is written.
     *
     * @param name 1 to 100 printable ASCII characters without blanks, braces and tildes
     */
    public static <V> Cache<V> of(RedisClient client, String name, Codec<V> codec, CacheOptions options) {
        return builder(client, name, codec).options(options).build();
    }

    /** Returns a builder, which also accepts an expiry policy and a near cache. */
    public static <V> CacheBuilder<V> builder(RedisClient client, String name, Codec<V> codec) {
        return new CacheBuilder<>(client, name, codec);
    }

    /**
     * Returns the value of {@code key}, and loads the value if it is missing. Blocks for at most the {@linkplain
     * CacheOptions#deadline deadline}.
     *
     * @throws LoadFailedException if the loader failed
     * @throws LoadTimedOutException if the deadline passed
     * @throws LoadInterruptedException if the thread is interrupted while it waits
     */
    public V get(String key, Loader<? extends V> loader) {
        refuseIfClosed();
        return lookups.answer(new LookupRequest<>(key, requireValue(loader), false))
                .requireValue();
    }

    /**
     * Returns the value of {@code key}, or empty if the key has no value. The cache calls the loader if neither a value
     * nor a negative entry is cached. In contrast, {@link #get} treats a negative entry as a miss. The deadline and the
     * exceptions are the same as for {@link #get}.
     */
    public Optional<V> find(String key, OptionalLoader<? extends V> optionalLoader) {
        refuseIfClosed();
        @SuppressWarnings("unchecked") // the value type is only returned
        OptionalLoader<V> same = (OptionalLoader<V>) optionalLoader;
        return Optional.ofNullable(
                lookups.answer(new LookupRequest<>(key, same, true)).value());
    }

    /**
     * Returns the values of all {@code keys}, 1,000,000 at most, in the order of the keys. The cache reads 1,000 keys
     * with each {@code MGET}, loads the missing values concurrently, and writes the values that are loaded within 200
     * ms in one pipeline. Blocks for at most the {@linkplain CacheOptions#deadline deadline}.
     *
     * @throws CacheException for the same reasons as {@link #get}. If the loads of several keys fail, only the first
     *     failure is thrown. The loaded values of the other keys are cached nevertheless
     */
    public Map<String, V> getAll(Collection<String> keys, Loader<? extends V> loader) {
        refuseIfClosed();
        Setting.checkArgument("keys", keys.size(), 0, MAX_KEYS);
        return multiGet.answer(keys, requireValue(loader));
    }

    private OptionalLoader<V> requireValue(Loader<? extends V> loader) {
        return key -> Optional.of(Objects.requireNonNull(
                loader.load(key), "the loader returned null. To cache the absence of a value, call find."));
    }

    /**
     * Writes the value of {@code key}. The values of loads that began earlier are not written. Blocks for at most four
     * times the {@linkplain CacheOptions#redisTimeout Redis timeout}.
     *
     * @throws RedisException if the value is not written, or the result is unknown
     */
    public void put(String key, V value) {
        refuseIfClosed();
        put(key, entryEncoder.value(key, value));
    }

    /**
     * Writes the value of {@code key} as {@link #put(String, Object)} does, but with a separate time to live for this
     * entry.
     *
     * @param timeToLive 1 ms to 365 days
     */
    public void put(String key, V value, Duration timeToLive) {
        refuseIfClosed();
        CacheOptions.TIME_TO_LIVE.check(timeToLive);
        put(key, entryEncoder.value(key, value, timeToLive));
    }

    private void put(String key, EncodedEntry encodedEntry) {
        inFlightLoads.discard(key, redisNanos);
        try {
            if (leases == null) {
                entryStore.put(key, encodedEntry);
            } else {
                leases.put(key, encodedEntry);
            }
        } catch (RedisException e) {
            entryStore.recordError("put", e);
            throw e;
        } finally {
            forget(key);
        }
    }

    /**
     * Removes the entry of {@code key}. The values of loads that began earlier are not written. Blocks for at most
     * three times the {@linkplain CacheOptions#redisTimeout Redis timeout}.
     *
     * @throws RedisException if the entry is not removed, or the result is unknown
     */
    public void remove(String key) {
        refuseIfClosed();
        inFlightLoads.discard(key, redisNanos);
        try {
            if (leases == null) {
                entryStore.delete(entryStore.redisKey(key));
            } else {
                leases.remove(key);
            }
        } catch (RedisException e) {
            entryStore.recordError("remove", e);
            throw e;
        } finally {
            forget(key);
        }
    }

    /**
     * Discards the load and the near cache entry of a key that this process has changed, because both may hold the old
     * value.
     */
    private void forget(String key) {
        // The second discard of this operation. A load that began after the first discard may have found the old entry.
        // From now on, callers must not join such a load.
        inFlightLoads.discard(key, redisNanos);
        inFlightLoads.recordChange(key);
        nearCache.invalidate(key);
    }

    /**
     * Writes many entries over a separate connection as fast as Redis accepts them, and overwrites existing entries.
     * Blocks until each entry has an outcome. If the connection is lost, the cache stops reading the iterator. The
     * result then counts only the entries that the cache has read.
     *
     * @throws RedisException if the connection cannot be opened
     */
    public WarmUpStats warmUp(Iterator<? extends Map.Entry<String, ? extends V>> entries) {
        refuseIfClosed();
        return new WarmUp<>(entryStore, entryEncoder).run(entries);
    }

    /** Returns the counters of this cache in this process. Takes no lock. */
    public CacheStats stats() {
        return statsCounter.snapshot();
    }

    /**
     * Interrupts the loads in progress and waits for their end, for at most the Redis timeout. Callers that wait for a
     * load, and later callers, get an {@link IllegalStateException}. Entries in Redis stay.
     */
    @Override
    public void close() {
        closed = true;
        inFlightLoads.close(redisNanos);
        nearCache.close();
    }

    private void refuseIfClosed() {
        if (closed) {
            throw closed(name);
        }
    }

    static IllegalStateException closed(String name) {
        return new IllegalStateException("the cache is closed: cache=" + name);
    }
}
