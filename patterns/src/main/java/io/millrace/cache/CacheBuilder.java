// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.client.ConnectException;
import io.millrace.client.RedisClient;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * Collects what a cache is made of. Not thread-safe.
 *
 * @param <V> a value
 */
public final class CacheBuilder<V> {

    /** Braces are for hash tags, and the tilde for keys that are no entries. */
    private static final Pattern NAME = Pattern.compile("[!-z|]{1,100}");

    private final RedisClient client;
    private final String name;
    private final Codec<V> codec;
    private CacheOptions options = CacheOptions.defaults();
    private Lifetime<? super V> lifetime;
    private NearOptions near = NearOptions.NONE;
    private Surroundings surroundings = Surroundings.SYSTEM;

    CacheBuilder(RedisClient client, String name, Codec<V> codec) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("name is no name of a cache: " + name
                    + ". It is 1 to 100 printable characters of ASCII without blanks, braces and tildes.");
        }
        this.client = Objects.requireNonNull(client, "client");
        this.name = name;
        this.codec = Objects.requireNonNull(codec, "codec");
        this.lifetime = (key, value) -> options.timeToLive();
    }

    /** Default {@link CacheOptions#defaults}. */
    public CacheBuilder<V> options(CacheOptions value) {
        options = Objects.requireNonNull(value, "options");
        return this;
    }

    /** Gives each entry a time to live of its own; by default it is {@link CacheOptions#timeToLive}. Called by any thread. */
    public CacheBuilder<V> lifetime(Lifetime<? super V> value) {
        lifetime = Objects.requireNonNull(value, "lifetime");
        return this;
    }

    /** Keeps entries in this process too; by default it does not. */
    public CacheBuilder<V> near(NearOptions value) {
        near = Objects.requireNonNull(value, "near");
        return this;
    }

    /** Other clocks and another chance, for tests. */
    CacheBuilder<V> surroundings(Surroundings value) {
        surroundings = Objects.requireNonNull(value, "surroundings");
        return this;
    }

    /**
     * The cache. Without a near cache this does not block, and Redis may be away; with one it waits until the server has agreed to tell
     * which keys change.
     *
     * @throws ConnectException if there is to be a near cache, and the server cannot be reached, or cannot tell which keys change
     * @throws IllegalStateException if there is to be a near cache, and Caffeine is not on the class path
     */
    public Cache<V> build() {
        Near<V> opened = TrackedNear.open(client, name + ":", near, surroundings);
        return new Cache<>(client, name, codec, options, lifetime, opened, surroundings);
    }
}
