// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.cache;

import io.millrace.lab.server.Keyspace;
import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A cache of texts in Redis, as one library offers it. Any number of threads may use the object at the same time.
 *
 * @param client closed with the cache
 */
record CacheAdapter(Reader reader, Writer writer, ManyReader manyReader, AutoCloseable client)
        implements AutoCloseable {

    /** Name of the cache. The entry of a key is the Redis string {@code NAME:key}. */
    static final String NAME = Keyspace.PREFIX + "cache";

    /**
     * The Redis hash of caches that keep all entries in one hash. The braces make Redisson derive the names of its other
     * keys from this name.
     */
    static final String HASH = Keyspace.PREFIX + "{cache}";

    /** A time to live that is longer than any round. */
    static final Duration LONG_LIFE = Duration.ofMinutes(10);

    /** The number of entries that a near cache with a limit may keep; more than any round has. */
    static final int NEAR_ENTRIES = 100_000;

    /** The slow computation whose results the cache keeps. */
    @FunctionalInterface
    interface Loader {
        String load(String key) throws Exception;
    }

    @FunctionalInterface
    interface Reader {

        /** Returns the cached text of {@code key}. If there is none, computes the text and stores it. */
        String get(String key, Loader loader) throws Exception;
    }

    @FunctionalInterface
    interface Writer {

        /** Returns when Redis has stored {@code text}. Near caches ignore the time to live. */
        void put(String key, String text, Duration timeToLive) throws Exception;
    }

    @FunctionalInterface
    interface ManyReader {

        /** Returns the cached texts of {@code keys} in their order, read with one call; null for a missing text. */
        List<? extends @Nullable String> getAll(List<String> keys) throws Exception;
    }

    @FunctionalInterface
    interface Finder {

        /** Returns the cached text, or null if there is none. */
        @Nullable
        String find(String key);
    }

    /** A cache without a call for many keys. */
    CacheAdapter(Reader reader, Writer writer, AutoCloseable client) {
        this(
                reader,
                writer,
                keys -> {
                    throw new UnsupportedOperationException("no call for many keys");
                },
                client);
    }

    /** What programs build by hand from two calls: read, and after a miss compute and write. */
    static Reader loop(Finder finder, BiConsumer<String, String> store) {
        return (key, loader) -> {
            String found = finder.find(key);
            if (found != null) {
                return found;
            }
            String text = loader.load(key);
            store.accept(key, text);
            return text;
        };
    }

    /** A loop in which a failed read counts as a miss, and a failed write is ignored. A careful program does both. */
    static Reader guardedLoop(Finder finder, BiConsumer<String, String> store) {
        return loop(
                key -> {
                    try {
                        return finder.find(key);
                    } catch (RuntimeException e) {
                        return null;
                    }
                },
                (key, text) -> {
                    try {
                        store.accept(key, text);
                    } catch (RuntimeException e) {
                        return; // The caller has the text.
                    }
                });
    }

    String get(String key, Loader loader) throws Exception {
        return reader.get(key, loader);
    }

    void put(String key, String text, Duration timeToLive) throws Exception {
        writer.put(key, text, timeToLive);
    }

    @Override
    public void close() throws Exception {
        client.close();
    }

    /** The Redis key of a cache that keeps each entry in a string. */
    static String redisKey(String key) {
        return NAME + ":" + key;
    }

    static String[] redisKeys(List<String> keys) {
        return keys.stream().map(CacheAdapter::redisKey).toArray(String[]::new);
    }
}
