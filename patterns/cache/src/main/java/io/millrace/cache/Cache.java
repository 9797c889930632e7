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
import java.util.concurrent.CompletableFuture;

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
 * share one load. Loaders run on virtual threads of the cache, or on {@linkplain #getOnCallerThread the thread of their
 * caller}. No other caller waits longer than its deadline, and a load continues after its callers have left. All callers
 * of a load receive the same object.
 *
 * <p>If Redis is slow or unreachable, the cache calls the loaders without Redis. After three commands without a reply,
 * lookups no longer wait for Redis, and one command at a time probes whether Redis answers again. All callers of this
 * process that wait for a key still share one loader call. A value is never served under another key. After {@link
 * #remove}, this process does not write the values of loads that began before. With a lease, no process writes them.
 *
 * <p>The entry of {@code key} is the Redis string {@code name:key}. Thread-safe. Each running loader holds one of {@link
 * CacheOptions#concurrentLoads} permits. A loader may look up other keys, in this cache or in others. While the loader waits
 * for such a key on its own thread, or with {@link #getAsync}, the load of the key uses the permit of the loader. For lookups
 * on other threads, the loader keeps its permit.
 *
 * @param <V> the type of the values; callers must not modify a value
 */
public final class Cache<V> implements AutoCloseable {

    private static final int MAX_KEYS = 1_000_000;

    private final String name;
    private final CacheOptions options;
    final CacheParts<V> parts;
    final LoadThreads threads;

    /** Set once, by {@link #close}. */
    private volatile boolean closed;

    Cache(CacheSetup<V> setup) {
        this.name = setup.name();
        this.options = setup.options();
        this.threads = setup.threads();
        this.parts = new CacheParts<>(setup);
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

    /**
     * Returns a cache whose loader is {@code loader}: its lookups need no loader. Otherwise the same as {@link #of}.
     *
     * @param name 1 to 100 printable ASCII characters without blanks, braces and tildes
     */
    public static <V> LoadingCache<V> loading(
            RedisClient client, String name, Codec<V> codec, CacheOptions options, Loader<? extends V> loader) {
        return builder(client, name, codec).options(options).buildLoading(loader);
    }

    /**
     * Returns a builder, which accepts {@linkplain CacheBuilder#options options}, an {@linkplain
     * CacheBuilder#expiryPolicy expiry policy}, a {@linkplain CacheBuilder#near near cache}, a {@linkplain
     * CacheBuilder#format format}, an {@linkplain CacheBuilder#executor executor} and a {@linkplain CacheBuilder#context
     * context}.
     */
    public static <V> CacheBuilder<V> builder(RedisClient client, String name, Codec<V> codec) {
        return new CacheBuilder<>(client, name, codec);
    }

    /**
     * Returns the value of {@code key}, and loads the value if it is missing. Blocks for at most the {@linkplain
     * CacheOptions#deadline deadline}.
     *
     * @throws LoadFailedException if the loader failed
     * @throws LoadTimedOutException if the deadline passed, or the loader exceeded the {@linkplain
     *     CacheOptions#loadTimeout load timeout}
     * @throws LoadRefusedException if too many loaders have exceeded the load timeout and still run
     * @throws LoadInterruptedException if the thread is interrupted while it waits
     * @throws IllegalStateException if a loader requests its own key, directly or through the loaders of other keys
     */
    public V get(String key, Loader<? extends V> loader) {
        return answer(key, Loaders.requiringValue(loader), false).requireValue();
    }

    /**
     * Returns the value of {@code key}, or empty if the key has no value. Calls the loader if neither a value nor a negative
     * entry is cached. ({@link #get} treats a negative entry as a miss.) The deadline and the exceptions are those of get.
     */
    public Optional<V> find(String key, OptionalLoader<? extends V> optionalLoader) {
        return Optional.ofNullable(
                answer(key, Loaders.returning(optionalLoader), true).value());
    }

    /**
     * Returns the value of {@code key} as {@link #get} does, but calls the loader on the current thread. So the loader has
     * the transaction, the security context and the logging context of its caller. Concurrent callers of all lookups share
     * one load: the first caller runs its loader, and the others wait at most for their {@linkplain CacheOptions#deadline
     * deadlines}.
     *
     * <p>The caller that runs its loader cannot leave at its deadline, and gets the result of its loader in any case. The
     * deadline limits only the wait for a permit, for the load of another caller, and for another process. After the
     * {@linkplain CacheOptions#loadTimeout load timeout}, the load ends for the other callers, and its value is not cached.
     * The cache never interrupts the thread, and writes the entry to Redis before this method returns.
     *
     * <p>If a background load is due ({@link CacheOptions#staleFor}, {@link CacheOptions#refreshAhead}), one caller runs its
     * loader instead, and the other callers get the present value. If this loader fails, its caller gets the present value,
     * too.
     *
     * @throws LoadFailedException if the loader failed; the cause is the exception of the loader
     * @throws LoadInterruptedException if the thread is interrupted before the loader is called
     * @throws CacheException otherwise for the same reasons as {@link #get}
     */
    public V getOnCallerThread(String key, Loader<? extends V> loader) {
        return answer(key, new CallersLoader<>(Loaders.requiringValue(loader)), false)
                .requireValue();
    }

    /** Returns the value of {@code key} as {@link #find} does. Calls the loader as {@link #getOnCallerThread} does. */
    public Optional<V> findOnCallerThread(String key, OptionalLoader<? extends V> optionalLoader) {
        CallersLoader<V> loader = new CallersLoader<>(Loaders.returning(optionalLoader));
        return Optional.ofNullable(answer(key, loader, true).value());
    }

    Entry<V> answer(String key, OptionalLoader<V> loader, boolean acceptsNegative) {
        refuseIfClosed();
        return parts.lookups.answer(new LookupRequest<>(key, loader, acceptsNegative));
    }

    /**
     * Returns the value of {@code key} if a value is cached, without a load. A negative entry and a cached failure count
     * as no value. With {@link CacheOptions#staleFor}, returns a stale value, too, and starts no background load. Blocks
     * for at most the {@linkplain CacheOptions#redisTimeout Redis timeout}. If Redis does not answer, returns empty.
     *
     * @throws LoadInterruptedException if the thread is interrupted while it waits
     */
    public Optional<V> getIfPresent(String key) {
        refuseIfClosed();
        return parts.lookups.present(key);
    }

    /**
     * Returns the entry that Redis has for {@code key}, without a load, also while the circuit is open. Counts no lookup.
     * Blocks for at most the {@linkplain CacheOptions#redisTimeout Redis timeout}.
     *
     * @throws RedisException if Redis does not answer
     * @throws LoadInterruptedException if the thread is interrupted while it waits
     */
    public Optional<CachedEntry<V>> entry(String key) {
        refuseIfClosed();
        return parts.lookups.stored(key);
    }

    /**
     * Looks up {@code key} as {@link #get} does, on a virtual thread. Returns at once. The future fails with the exceptions
     * of {@code get}. A function attached to the future runs on a virtual thread and may block. If the caller cancels the
     * future, the load continues.
     *
     * <p>If a loader calls this method, the lookup belongs to the call of this loader, and may use the permit of the loader, one
     * lookup at a time, until the loader returns. The lookup must not need the key of the loader.
     */
    public CompletableFuture<V> getAsync(String key, Loader<? extends V> loader) {
        Objects.requireNonNull(loader, "loader");
        return threads.lookup(() -> get(key, loader));
    }

    /** Returns the result of {@link #find} as {@link #getAsync} does. */
    public CompletableFuture<Optional<V>> findAsync(String key, OptionalLoader<? extends V> optionalLoader) {
        Objects.requireNonNull(optionalLoader, "loader");
        return threads.lookup(() -> find(key, optionalLoader));
    }

    /**
     * Returns the values of all {@code keys}, 1,000,000 at most, in the order of the keys. The cache reads 1,000 keys
     * with each {@code MGET} (in a cluster: the keys of one hash slot), loads the missing values concurrently, and writes
     * the values that are loaded within 200 ms in one pipeline. Blocks for at most the {@linkplain CacheOptions#deadline deadline}.
     *
     * @throws CacheException for the same reasons as {@link #get}. If the loads of several keys fail, only the first
     *     failure is thrown. The loaded values of the other keys are cached nevertheless; {@code getEach} returns them
     */
    public Map<String, V> getAll(Collection<String> keys, Loader<? extends V> loader) {
        return getEach(keys, loader).valuesOrThrow();
    }

    /**
     * Looks up all {@code keys} as {@link #getAll(Collection, Loader)} does, and returns the values and the failures of
     * the keys. So the failure of one key does not hide the values of other keys.
     *
     * @throws LoadInterruptedException if the thread is interrupted while it waits
     */
    public LookupResults<V> getEach(Collection<String> keys, Loader<? extends V> loader) {
        return each(keys, Loaders.requiringValue(loader), false);
    }

    LookupResults<V> each(Collection<String> keys, OptionalLoader<V> loader, boolean acceptsNegative) {
        refuseIfClosed();
        Setting.checkArgument("keys", keys.size(), 0, MAX_KEYS);
        return parts.multiGet.each(keys, loader, acceptsNegative);
    }

    /**
     * Returns the values of all {@code keys}, 1,000,000 at most, in the order of the keys, and loads the missing values
     * with one call of {@code loader}. Keys without a value are not in the result. Otherwise the same as {@link
     * #getEach(Collection, BulkLoader)}.
     *
     * @throws CacheException for the same reasons as {@link #get}. If several keys fail, only the first failure is
     *     thrown. The loaded values of the other keys are cached nevertheless
     */
    public Map<String, V> getAll(Collection<String> keys, BulkLoader<? extends V> loader) {
        return getEach(keys, loader).valuesOrThrow();
    }

    /**
     * Looks up all {@code keys}, 1,000,000 at most, and loads the missing values with one call of {@code loader}, which
     * needs one permit. Returns the values and the failures of the keys. Keys that another caller loads at this moment
     * are not passed to the loader. With a lease, the cache claims the leases of the missing keys, 1,000 in each round
     * trip; keys that another process loads are not passed to the loader. Keys without a value are neither in the values
     * nor in the failures of the result.
     *
     * <p>If several keys need a background load ({@link CacheOptions#staleFor}, {@link CacheOptions#refreshAhead}), one
     * background load calls {@code loader} for all of them. Blocks for at most the {@linkplain CacheOptions#deadline
     * deadline}. The {@linkplain CacheOptions#loadTimeout load timeout} limits the call of the loader.
     *
     * @throws LoadInterruptedException if the thread is interrupted while it waits
     */
    public LookupResults<V> getEach(Collection<String> keys, BulkLoader<? extends V> loader) {
        Objects.requireNonNull(loader, "loader");
        refuseIfClosed();
        Setting.checkArgument("keys", keys.size(), 0, MAX_KEYS);
        return parts.multiGet.bulk(keys, loader);
    }

    /**
     * Writes the value of {@code key}. The values of loads that began earlier are not written. Blocks for at most three
     * times the {@linkplain CacheOptions#redisTimeout Redis timeout}.
     *
     * @throws RedisException if the value is not written, or the result is unknown
     */
    public void put(String key, V value) {
        refuseIfClosed();
        parts.changes.put(key, parts.entryEncoder.value(key, value));
    }

    /**
     * Writes the value of {@code key} as {@link #put(String, Object)} does, but with a separate time to live for this
     * entry. The {@linkplain CacheOptions#jitter jitter} also shortens this time.
     *
     * @param timeToLive 1 ms to 365 days
     */
    public void put(String key, V value, Duration timeToLive) {
        refuseIfClosed();
        CacheOptions.TIME_TO_LIVE.check(timeToLive);
        parts.changes.put(key, parts.entryEncoder.value(key, value, timeToLive));
    }

    /**
     * Writes the value of {@code key} unless the key has a value, in one step on the server. Negative entries, cached
     * failures, stale and undecodable entries count as no value. The cache sends a script, so the user of the client needs
     * the permission for {@code EVAL}. In all other respects this method is like {@link #put(String, Object)}.
     *
     * @return the value that Redis has; empty if {@code value} is written
     * @throws RedisException if the value is not written, or the result is unknown
     */
    public Optional<V> putIfAbsent(String key, V value) {
        refuseIfClosed();
        return parts.changes.putIfAbsent(key, parts.entryEncoder.value(key, value));
    }

    /**
     * Writes the value of {@code key} as {@link #putIfAbsent(String, Object)} does, but with a separate time to live.
     *
     * @param timeToLive 1 ms to 365 days
     */
    public Optional<V> putIfAbsent(String key, V value, Duration timeToLive) {
        refuseIfClosed();
        CacheOptions.TIME_TO_LIVE.check(timeToLive);
        return parts.changes.putIfAbsent(key, parts.entryEncoder.value(key, value, timeToLive));
    }

    /**
     * Writes all {@code values}, 1,000,000 at most, in pipelines of 1,000 entries. The values of loads that began
     * earlier are not written. Blocks for at most three times the {@linkplain CacheOptions#redisTimeout Redis timeout}
     * for each pipeline. For more entries, use {@link #warmUp}.
     *
     * @throws RedisException if a value is not written, or the result is unknown. The values of earlier pipelines are
     *     written, and the values of later pipelines are not. If the codec rejects a value, no value is written
     */
    public void putAll(Map<String, ? extends V> values) {
        refuseIfClosed();
        Setting.checkArgument("values", values.size(), 0, MAX_KEYS);
        parts.changes.putAll(parts.entryEncoder.values(values));
    }

    /**
     * Removes the entry of {@code key}. The values of loads that began earlier are not written. Blocks for at most
     * three times the {@linkplain CacheOptions#redisTimeout Redis timeout}.
     *
     * @throws RedisException if the entry is not removed, or the result is unknown
     */
    public void remove(String key) {
        refuseIfClosed();
        parts.changes.remove(key);
    }

    /**
     * Removes the entries of all {@code keys} as {@link #remove} does, 1,000 keys with each command. Blocks for at most
     * three times the {@linkplain CacheOptions#redisTimeout Redis timeout} for each command.
     *
     * @throws RedisException if an entry is not removed, or the result is unknown. The entries of earlier commands are
     *     removed, and the entries of later commands are not
     */
    public void removeAll(Collection<String> keys) {
        refuseIfClosed();
        parts.changes.removeAll(keys);
    }

    /**
     * Removes all entries that exist at the begin of the call. The values of loads that began earlier are not written.
     * With a lease, this also holds for other processes.
     *
     * <p>The cache scans the keys of the database, 1,000 keys with each command, and unlinks the keys that begin with
     * {@code name:}. These are also the entries of a cache whose name begins with {@code name:}, and keys of other
     * programs with this prefix. Blocks until the scan has ended: the time grows with the number of keys in the
     * database. Each command has the {@linkplain CacheOptions#redisTimeout Redis timeout}.
     *
     * @throws RedisException if a command failed. Some of the entries may be removed
     */
    public void clear() {
        refuseIfClosed();
        parts.changes.clear();
    }

    /**
     * Writes many entries over a separate connection as fast as Redis accepts them, and overwrites existing entries.
     * Blocks until each entry has an outcome. If the connection is lost, the cache stops reading the iterator. The
     * result then counts only the entries that the cache has read.
     *
     * <p>Unlike {@link #put} and {@link #putAll}, a warm-up does not end earlier loads of its keys: a load in progress
     * may overwrite the entry of its key with its value.
     *
     * @throws RedisException if the connection cannot be opened
     */
    public WarmUpStats warmUp(Iterator<? extends Map.Entry<String, ? extends V>> entries) {
        refuseIfClosed();
        return new WarmUp<>(parts.entryStore, parts.entryEncoder).run(entries);
    }

    /** Returns the counters of this cache in this process. Takes no lock. */
    public CacheStats stats() {
        return parts.statsCounter.snapshot();
    }

    /**
     * Interrupts the loads in progress and waits for their end, for at most the Redis timeout. Callers that wait for a
     * load, and later callers, get an {@link IllegalStateException}. Entries in Redis stay.
     */
    @Override
    public void close() {
        closed = true;
        parts.close();
    }

    /** The name of this cache, which is also the prefix of its keys in Redis. */
    public String name() {
        return name;
    }

    /** The options of this cache. */
    public CacheOptions options() {
        return options;
    }

    private void refuseIfClosed() {
        if (closed) {
            throw Lookups.closed(name);
        }
    }
}
