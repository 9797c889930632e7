// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.client.RedisClient;
import io.millrace.client.RedisException;
import java.time.Duration;
import java.util.Collection;
import java.util.Iterator;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A cache of slow results in Redis: what is not there is computed once, kept for its time, and served to all.
 *
 * <pre>{@code
 * Cache<String> pages = Cache.of(client, "pages", Codec.text(), CacheOptions.defaults());
 * String page = pages.get("home", key -> render(key));
 * }</pre>
 *
 * <p>However many callers ask for a key that is not there, it is loaded once in this process, and with a {@linkplain
 * CacheOptions#lease lease} once in all processes. Loaders run on virtual threads of the cache: no caller is kept longer than its
 * deadline, and a load goes on when its callers have gone. What a loader gives is handed to all that wait as the same object.
 *
 * <p>Without Redis, or while it is slow, loaders are called, still one at a time for each key; nothing has to be done when it is back. A
 * value is never served under a key that is not its own. {@link #remove} keeps older loads of this process from being written
 * afterwards, and with a lease those of all processes.
 *
 * <p>In Redis the entry of {@code key} is the string {@code name:key}. For any number of threads; a loader may use the cache, for other
 * keys than its own, and then takes the room of a concurrent load for as long as it waits.
 *
 * @param <V> a value; not to be changed by those that get it
 */
public final class Cache<V> implements AutoCloseable {

    /** Keys of one multi-get. */
    private static final int MOST_KEYS = 1_000_000;

    private final String name;
    private final Tally tally = new Tally();
    private final Near<V> near;
    private final Drafts<V> drafts;
    private final Store<V> store;
    private final @Nullable Leases<V> leases;
    private final Loads<V> loads = new Loads<>();
    private final Lookups<V> lookups;
    private final MultiGet<V> multiGet;
    private final long redisNanos;

    /** Set once, by whoever closes the cache. */
    private volatile boolean closed;

    Cache(
            RedisClient client,
            String name,
            Codec<V> codec,
            CacheOptions options,
            Lifetime<? super V> lifetime,
            Near<V> near,
            Surroundings surroundings) {
        EntryFormat<V> format = new EntryFormat<>(name, codec);
        this.name = name;
        this.near = near;
        this.drafts = new Drafts<>(format, options, lifetime, surroundings);
        this.store = new Store<>(client, name, format, options.redisTimeout(), tally);
        this.leases = options.lease().isZero() ? null : new Leases<>(store, options.lease());
        LoadedWriter<V> writer = new LoadedWriter<>(loads, store, leases);
        LoadRunner<V> runner = new LoadRunner<>(loads, store, leases, writer, drafts, options, surroundings, tally);
        this.lookups = new Lookups<>(near, store, loads, runner, options, surroundings, tally);
        this.multiGet = new MultiGet<>(lookups, near, store, loads, writer, tally);
        this.redisNanos = options.redisTimeout().toNanos();
    }

    /**
     * The cache {@code name} in the Redis of {@code client}, which it does not close.
     *
     * @param name 1 to 100 printable characters of ASCII without blanks, braces and tildes
     */
    public static <V> Cache<V> of(RedisClient client, String name, Codec<V> codec, CacheOptions options) {
        return builder(client, name, codec).options(options).build();
    }

    /** The same with more to choose from. */
    public static <V> CacheBuilder<V> builder(RedisClient client, String name, Codec<V> codec) {
        return new CacheBuilder<>(client, name, codec);
    }

    /**
     * The value of {@code key}; loaded if it is not there. Waits for the {@linkplain CacheOptions#deadline deadline} at most.
     *
     * @throws LoadFailedException if the loader failed
     * @throws LoadTimedOutException if the deadline passed
     * @throws LoadInterruptedException if the thread is interrupted while it waits
     */
    public V get(String key, Loader<? extends V> loader) {
        refuseIfClosed();
        return lookups.answer(new Request<>(key, certain(loader), false)).present();
    }

    /**
     * The value of {@code key}, or the word that there is none; loaded if neither is there. Otherwise as {@link #get}, for which an entry
     * that says that there is no value is a miss.
     */
    public Optional<V> find(String key, Finder<? extends V> finder) {
        refuseIfClosed();
        @SuppressWarnings("unchecked") // a finder only gives values
        Finder<V> same = (Finder<V>) finder;
        return Optional.ofNullable(
                lookups.answer(new Request<>(key, same, true)).value());
    }

    /**
     * The values of all {@code keys}, a million at most, in their order: asked for with one multi-get for each 1,000 of them, the missing
     * loaded side by side and written back in pipelines, together if they are loaded within a fifth of a second. Waits for the {@linkplain CacheOptions#deadline deadline} at most.
     *
     * @throws CacheException as {@link #get}: the first, if several keys have no value. What could be loaded is kept all the same
     */
    public Map<String, V> getAll(Collection<String> keys, Loader<? extends V> loader) {
        refuseIfClosed();
        Ranges.check("keys", keys.size(), 0, MOST_KEYS);
        return multiGet.answer(keys, certain(loader));
    }

    private Finder<V> certain(Loader<? extends V> loader) {
        return key -> Optional.of(Objects.requireNonNull(
                loader.load(key), "a loader gave null; a Finder may say that there is no value"));
    }

    /**
     * Writes the value of {@code key}. Loads of the key that began before are not written. Waits for four times the {@linkplain
     * CacheOptions#redisTimeout time that Redis may take} at most.
     *
     * @throws RedisException if it is not written, or if that is not known
     */
    public void put(String key, V value) {
        refuseIfClosed();
        put(key, drafts.value(key, value));
    }

    /**
     * The same with a time to live of its own.
     *
     * @param timeToLive 1 ms to 365 days
     */
    public void put(String key, V value, Duration timeToLive) {
        refuseIfClosed();
        Ranges.check("timeToLive", timeToLive, CacheOptions.SHORTEST, CacheOptions.LONGEST);
        put(key, drafts.value(key, value, timeToLive));
    }

    private void put(String key, Draft draft) {
        loads.discard(key, redisNanos);
        try {
            if (leases == null) {
                store.put(key, draft);
            } else {
                leases.put(key, draft);
            }
        } catch (RedisException e) {
            store.failed("put", e);
            throw e;
        } finally {
            forget(key);
        }
    }

    /**
     * Removes the entry of {@code key}. Loads of the key that began before are not written. Waits for three times the {@linkplain
     * CacheOptions#redisTimeout time that Redis may take} at most.
     *
     * @throws RedisException if it is not removed, or if that is not known
     */
    public void remove(String key) {
        refuseIfClosed();
        loads.discard(key, redisNanos);
        try {
            if (leases == null) {
                store.delete(store.redisKey(key));
            } else {
                leases.remove(key);
            }
        } catch (RedisException e) {
            store.failed("remove", e);
            throw e;
        } finally {
            forget(key);
        }
    }

    /** What was read in this process before it was changed in Redis is of no use. */
    private void forget(String key) {
        // Once more: a load that began after the first time may have found the old entry, and who comes now is not to
        // wait for it.
        loads.discard(key, redisNanos);
        loads.changed(key);
        near.forget(key);
    }

    /**
     * Writes very many entries over a connection of its own, at the speed that Redis takes them, whatever was there. Blocks until each has
     * an outcome. When the connection is lost no more are read, which the account does not show: it is about what was read.
     *
     * @throws RedisException if there is no connection
     */
    public WarmUpAccount warmUp(Iterator<? extends Map.Entry<String, ? extends V>> entries) {
        refuseIfClosed();
        return new WarmUp<>(store, drafts).run(entries);
    }

    /** What the cache did so far, in this process. Takes no lock. */
    public CacheCounts counts() {
        return tally.counts();
    }

    /**
     * Interrupts the loads that are under way, and waits a moment for them. Who waits for one gets an {@link IllegalStateException}, as
     * does who uses the cache afterwards. What is in Redis stays.
     */
    @Override
    public void close() {
        closed = true;
        loads.close(redisNanos);
        near.close();
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
