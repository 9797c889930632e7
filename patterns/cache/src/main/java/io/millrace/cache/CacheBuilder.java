// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.exception.ConnectException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Builds a cache. Not thread-safe.
 *
 * @param <V> the type of the values
 */
public final class CacheBuilder<V> {

    /** Braces are reserved for hash tags, and the tilde for lease keys. */
    private static final Pattern NAME = Pattern.compile("[!-z|]{1,100}");

    private final RedisClient client;
    private final String name;
    private final Codec<V> codec;
    private CacheOptions options = CacheOptions.defaults();

    /** Null for the time to live of the options. */
    private @Nullable ExpiryPolicy<? super V> expiryPolicy;

    private NearCacheOptions near = NearCacheOptions.NONE;
    private Format format = Format.WITH_HEADER;
    private LoadThreads threads = LoadThreads.DEFAULT;
    private ClockAndRandom clockAndRandom = ClockAndRandom.SYSTEM;

    CacheBuilder(RedisClient client, String name, Codec<V> codec) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("invalid cache name: " + name
                    + ". Use 1 to 100 printable ASCII characters without blanks, braces and tildes.");
        }
        this.client = Objects.requireNonNull(client, "client");
        this.name = name;
        this.codec = Objects.requireNonNull(codec, "codec");
    }

    /** Sets the options of the cache. Default: {@link CacheOptions#defaults}. */
    public CacheBuilder<V> options(CacheOptions value) {
        options = Objects.requireNonNull(value, "options");
        return this;
    }

    /**
     * Sets the function that computes the time to live of each value. Default: the function returns {@link
     * CacheOptions#timeToLive}. Many threads call the function concurrently.
     */
    public CacheBuilder<V> expiryPolicy(ExpiryPolicy<? super V> value) {
        expiryPolicy = Objects.requireNonNull(value, "expiryPolicy");
        return this;
    }

    /** Enables the near cache, which keeps entries in this process. Default: no near cache. */
    public CacheBuilder<V> near(NearCacheOptions value) {
        near = Objects.requireNonNull(value, "near");
        return this;
    }

    /** Sets the form of the entries in Redis. Default: {@link Format#WITH_HEADER}. */
    public CacheBuilder<V> format(Format value) {
        format = Objects.requireNonNull(value, "format");
        return this;
    }

    /**
     * Sets the executor that runs loads. Default: a separate virtual thread for each load. The cache does not close the
     * executor.
     *
     * <p>The executor must not run a load on the calling thread, because the caller would then wait longer than its
     * deadline. The executor should not limit its number of threads, for two reasons. Loaders that hang keep their
     * threads, so as many hung loaders as threads stop the loads of all keys. If loaders look up other keys, all
     * threads may wait for loads that have no thread.
     *
     * <p>A load whose execution the executor rejects fails with this exception. If the executor drops a load, or has no
     * thread for the load, a caller whose deadline passes ends the load, and the next caller starts another load. A
     * background load that waits for its thread for the whole deadline is replaced at the next lookup.
     */
    public CacheBuilder<V> executor(Executor value) {
        threads = threads.withExecutor(Objects.requireNonNull(value, "executor"));
        return this;
    }

    /**
     * Sets the function that carries context, such as a trace or a tenant, to the threads of loads and of asynchronous
     * lookups. The cache calls the function on the thread of the caller that starts a load. The result, which must run
     * its argument, runs on the thread of the load. Example: {@code context(task ->
     * ContextSnapshotFactory.builder().build().captureAll().wrap(task))}. Default: no context.
     *
     * <p>Callers that join the load of another caller do not change its context. If the function fails, the load fails.
     */
    public CacheBuilder<V> context(UnaryOperator<Runnable> value) {
        threads = threads.withContext(Objects.requireNonNull(value, "context"));
        return this;
    }

    /** Sets the clocks and the random generator, for tests. */
    CacheBuilder<V> clockAndRandom(ClockAndRandom value) {
        clockAndRandom = Objects.requireNonNull(value, "clockAndRandom");
        return this;
    }

    /**
     * Returns the cache. Without a near cache this call does not block, and Redis may be unreachable. With a near cache
     * the call blocks until the server has enabled tracking.
     *
     * @throws IllegalArgumentException if an option or the codec does not fit the {@linkplain Format format}
     * @throws ConnectException if a near cache is configured, and the server is unreachable or cannot track keys
     * @throws IllegalStateException if a near cache is configured, and Caffeine is not on the class path
     */
    public Cache<V> build() {
        CacheOptions checked = format == Format.PLAIN ? plainOptions() : options;
        Duration timeToLive = checked.timeToLive();
        ExpiryPolicy<? super V> policy = expiryPolicy == null ? (key, value) -> timeToLive : expiryPolicy;
        // The entries of the plain format do not contain their expiry.
        Duration longestNear = format == Format.PLAIN ? timeToLive : CacheOptions.TIME_TO_LIVE.max();
        NearCache<V> opened = TrackedNearCache.open(client, name + ":", near, clockAndRandom, longestNear);
        return new Cache<>(
                new CacheSetup<>(client, name, codec, checked, policy, format, opened, threads, clockAndRandom));
    }

    /**
     * Returns a cache whose loader is {@code loader}: its lookups need no loader. Otherwise the same as {@link #build}.
     */
    public LoadingCache<V> buildLoading(Loader<? extends V> loader) {
        OptionalLoader<V> checked = Loaders.requiringValue(loader);
        return new LoadingCache<>(build(), checked, false, null);
    }

    /**
     * Returns a cache whose lookups of one key call {@code loader}, and whose lookups of many keys call {@code
     * bulkLoader} once for all missing keys. Otherwise the same as {@link #build}.
     */
    public LoadingCache<V> buildLoading(Loader<? extends V> loader, BulkLoader<? extends V> bulkLoader) {
        OptionalLoader<V> checked = Loaders.requiringValue(loader);
        Objects.requireNonNull(bulkLoader, "bulkLoader");
        return new LoadingCache<>(build(), checked, false, bulkLoader);
    }

    /**
     * Returns a cache whose loader is {@code loader}, and whose keys may have no value. {@link LoadingCache#find}
     * returns an empty result for such a key, and the cache stores a negative entry. Otherwise the same as {@link
     * #build}.
     */
    public LoadingCache<V> buildFinding(OptionalLoader<? extends V> loader) {
        OptionalLoader<V> checked = Loaders.returning(loader);
        return new LoadingCache<>(build(), checked, true, null);
    }

    /** Returns the options for the plain format, which has no header for times and kinds of entries. */
    private CacheOptions plainOptions() {
        refuseWithPlain(!options.staleFor().isZero(), "staleFor");
        refuseWithPlain(options.refreshAhead() != 0, "refreshAhead");
        refuseWithPlain(!options.failureTimeToLive().isZero(), "failureTimeToLive");
        refuseWithPlain(codec instanceof VersionedCodec, "VersionedCodec");
        boolean negative = !options.negativeTimeToLive().isZero()
                && !options.negativeTimeToLive().equals(CacheOptions.NEGATIVE_TIME_TO_LIVE.defaultValue());
        refuseWithPlain(negative, "negativeTimeToLive");
        return options.withoutNegativeEntries();
    }

    private void refuseWithPlain(boolean used, String setting) {
        if (used) {
            throw new IllegalArgumentException("the plain format does not support " + setting + ": cache=" + name
                    + ", format=PLAIN. Use Format.WITH_HEADER, or leave out " + setting + ".");
        }
    }
}
