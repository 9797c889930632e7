// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.exception.ConnectException;
import java.util.Objects;
import java.util.regex.Pattern;

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
    private ExpiryPolicy<? super V> expiryPolicy;
    private NearCacheOptions near = NearCacheOptions.NONE;
    private ClockAndRandom clockAndRandom = ClockAndRandom.SYSTEM;

    CacheBuilder(RedisClient client, String name, Codec<V> codec) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("invalid cache name: " + name
                    + ". Use 1 to 100 printable ASCII characters without blanks, braces and tildes.");
        }
        this.client = Objects.requireNonNull(client, "client");
        this.name = name;
        this.codec = Objects.requireNonNull(codec, "codec");
        this.expiryPolicy = (key, value) -> options.timeToLive();
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

    /** Sets the clocks and the random generator, for tests. */
    CacheBuilder<V> clockAndRandom(ClockAndRandom value) {
        clockAndRandom = Objects.requireNonNull(value, "clockAndRandom");
        return this;
    }

    /**
     * Returns the cache. Without a near cache this call does not block, and Redis may be unreachable. With a near cache
     * the call blocks until the server has enabled tracking.
     *
     * @throws ConnectException if a near cache is configured, and the server is unreachable or cannot track keys
     * @throws IllegalStateException if a near cache is configured, and Caffeine is not on the class path
     */
    public Cache<V> build() {
        NearCache<V> opened = TrackedNearCache.open(client, name + ":", near, clockAndRandom);
        return new Cache<>(client, name, codec, options, expiryPolicy, opened, clockAndRandom);
    }
}
