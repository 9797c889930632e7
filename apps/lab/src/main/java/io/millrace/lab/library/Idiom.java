// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.library;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A library at work, in one of its ways, over one connection where it can be told so. Used by one thread.
 *
 * <p>Each method returns when every command has been answered, and throws if one was answered with an error: what
 * cannot be told apart from success would win. Commands that go together do so {@code batch} at a time; a way that
 * waits for every reply pays no heed to it.
 */
public interface Idiom extends AutoCloseable {

    /** {@code SET key value} for each pair. */
    void set(List<Pair> pairs, int batch) throws Exception;

    /** {@code GET key} for each key: the values in the order of the keys, null where there is none. */
    List<@Nullable String> get(List<String> keys, int batch) throws Exception;

    /** {@code HSET hash field value} for each pair, a command of its own for each, then {@code PEXPIRE} once. */
    void putFields(String hash, List<Pair> fields, Duration timeToLive, int batch) throws Exception;

    /**
     * {@code RPOP list}, {@code pops} times for each list, a command of its own for each: what came out, in the order
     * of the pops; null where the list was empty.
     */
    List<@Nullable String> pop(List<String> lists, int pops, int batch) throws Exception;

    /** Closes the connection and ends every thread of the library. */
    @Override
    void close() throws Exception;
}
