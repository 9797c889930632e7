// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.library;

import io.millrace.lab.run.Keyspace;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A cache of texts in Redis, as a library has it or as it is written by hand. For any number of threads. */
public interface TextCache extends AutoCloseable {

    /** What the keys in Redis begin with. */
    String NAME = Keyspace.PREFIX + "cache";

    /**
     * The key of those that keep all entries in one hash. In braces, so that what Redisson keeps beside it is named
     * after it.
     */
    String MAP = Keyspace.PREFIX + "{cache}";

    /** How long what is computed is kept, if nothing else is said: longer than any round. */
    Duration TIME_TO_LIVE = Duration.ofMinutes(10);

    /** The slow call that a cache is for. */
    @FunctionalInterface
    interface Computation {

        String of(String key) throws Exception;
    }

    /** What a cache promises about computations of one key. */
    enum Promise {
        /** Nothing, or nothing that the lab holds it to: how many there are is what is found. */
        NONE,
        /** One at a time in each process. */
        ONE_IN_EACH,
        /** One at a time in all processes. */
        ONE_IN_ALL
    }

    /** The text of {@code key}: what is kept, or else what {@code computation} gives, which is kept. */
    String get(String key, Computation computation) throws Exception;

    /** Keeps {@code text} for {@code timeToLive}; returns when it is written. */
    void put(String key, String text, Duration timeToLive) throws Exception;

    /** What is kept under {@code keys}, in their order, asked for in one call; null for what is not. */
    List<@Nullable String> getAll(List<String> keys) throws Exception;

    /** Keeps very many texts in the fastest way there is; returns how many are known to be written. */
    long putAll(Iterator<Pair> entries) throws Exception;

    @Override
    void close() throws Exception;

    /**
     * A cache to be opened.
     *
     * @param name of the library, as in reports
     * @param variant in which way it is used; together with the name unique
     * @param note what a reader of the figures has to know
     */
    record Source(String name, String variant, Promise promise, String note, Opener opener) {

        /**
         * Those that compute what they do not have: the naive way of each library first, then what it has against many
         * computations at once.
         */
        public static List<Source> all() {
            return Stream.of(JedisCache.SOURCES, SpringCache.SOURCES, RedissonCache.SOURCES, MillraceCache.SOURCES)
                    .flatMap(List::stream)
                    .toList();
        }

        /** The first of each library. */
        public static List<Source> firstOfEach() {
            return Stream.of(JedisCache.SOURCES, SpringCache.SOURCES, RedissonCache.SOURCES, MillraceCache.SOURCES)
                    .map(List::getFirst)
                    .toList();
        }

        /** As careful programs have it, of those libraries that by default let an error of Redis reach the caller. */
        public static List<Source> guarded() {
            return List.of(JedisCache.GUARDED, SpringCache.GUARDED);
        }

        /** Millrace's client alone: a {@code GET} and nothing else. */
        public static Source bare() {
            return MillraceCache.BARE;
        }

        /** Millrace's cache with entries in the process too. */
        public static Source near() {
            return MillraceCache.NEAR;
        }

        /** Name and variant in one word. */
        public String label() {
            return name + "/" + variant;
        }
    }

    /** Opens caches. */
    @FunctionalInterface
    interface Opener {

        /**
         * A cache over open connections.
         *
         * @param timeout of a command
         * @param connections of those libraries that need one for each command in flight
         * @param timeToLive of what is computed
         */
        TextCache open(Endpoint endpoint, Duration timeout, int connections, Duration timeToLive) throws Exception;

        /** One that keeps what is computed for {@link #TIME_TO_LIVE}. */
        default TextCache open(Endpoint endpoint, Duration timeout, int connections) throws Exception {
            return open(endpoint, timeout, connections, TIME_TO_LIVE);
        }
    }
}
