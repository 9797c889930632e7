// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.cache;

import io.millrace.lab.server.Keyspace;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A cache of texts in Redis, as one library offers it. Any number of threads may use the object at the same time. */
interface CacheAdapter extends AutoCloseable {

    /** Name of the cache. The entry of a key is the Redis string {@code NAME:key}. */
    String NAME = Keyspace.PREFIX + "cache";

    /**
     * The Redis hash of caches that keep all entries in one hash. The braces make Redisson derive the names of its other
     * keys from this name.
     */
    String HASH = Keyspace.PREFIX + "{cache}";

    /** A time to live that is longer than any round. */
    Duration LONG_LIFE = Duration.ofMinutes(10);

    /** The number of entries that a near cache with a limit may keep; more than any round has. */
    int NEAR_ENTRIES = 100_000;

    /** The slow computation whose results the cache keeps. */
    @FunctionalInterface
    interface Loader {
        String load(String key) throws Exception;
    }

    /** Returns the cached text of {@code key}. If there is none, computes the text with {@code loader} and stores it. */
    String get(String key, Loader loader) throws Exception;

    /** Returns the cached texts of {@code keys} in their order, read with one call; null for a missing text. */
    default List<@Nullable String> getAll(List<String> keys) {
        throw new UnsupportedOperationException();
    }

    /** Returns when Redis has stored {@code text}. Near caches ignore the time to live. */
    void put(String key, String text, Duration timeToLive) throws Exception;

    @Override
    void close() throws Exception;

    /** The Redis key of a cache that keeps each entry in a string. */
    static String redisKey(String key) {
        return NAME + ":" + key;
    }

    static String[] redisKeys(List<String> keys) {
        return keys.stream().map(CacheAdapter::redisKey).toArray(String[]::new);
    }
}
