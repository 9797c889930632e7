// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.library;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A batch at a time, the next when the one before has been answered: what a library has to say for it is in
 * {@link Batches}.
 */
record Batched(Batches batches) implements Idiom {

    /**
     * A library's way of sending commands together. Each method sends one batch, a command for each element, returns
     * when all have been answered, and throws if one was answered with an error.
     */
    interface Batches extends AutoCloseable {

        void set(List<Pair> pairs) throws Exception;

        /** In the order of the keys, null where there is none. */
        List<@Nullable String> get(List<String> keys) throws Exception;

        void putFields(String hash, List<Pair> fields) throws Exception;

        /** One command on its own. */
        void expire(String key, Duration timeToLive) throws Exception;

        /** One pop for each element: the same list may come several times. Null where it was empty. */
        List<@Nullable String> pop(List<String> lists) throws Exception;

        @Override
        void close() throws Exception;
    }

    @Override
    public void set(List<Pair> pairs, int batch) throws Exception {
        for (int from = 0; from < pairs.size(); from += batch) {
            batches.set(batch(pairs, from, batch));
        }
    }

    @Override
    public List<@Nullable String> get(List<String> keys, int batch) throws Exception {
        var values = new ArrayList<@Nullable String>(keys.size());
        for (int from = 0; from < keys.size(); from += batch) {
            values.addAll(batches.get(batch(keys, from, batch)));
        }
        return values;
    }

    @Override
    public void putFields(String hash, List<Pair> fields, Duration timeToLive, int batch) throws Exception {
        for (int from = 0; from < fields.size(); from += batch) {
            batches.putFields(hash, batch(fields, from, batch));
        }
        batches.expire(hash, timeToLive);
    }

    @Override
    public List<@Nullable String> pop(List<String> lists, int pops, int batch) throws Exception {
        var each = lists.stream()
                .flatMap(list -> Collections.nCopies(pops, list).stream())
                .toList();
        var popped = new ArrayList<@Nullable String>(each.size());
        for (int from = 0; from < each.size(); from += batch) {
            popped.addAll(batches.pop(batch(each, from, batch)));
        }
        return popped;
    }

    private static <T> List<T> batch(List<T> all, int from, int length) {
        return all.subList(from, Math.min(from + length, all.size()));
    }

    @Override
    public void close() throws Exception {
        batches.close();
    }
}
