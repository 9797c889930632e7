// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * Lets tasks of one key through one after the other. The first of a key is under way from when it is produced until it is settled;
 * those that are produced meanwhile stand in the line of their key, in that order, and whoever has settled the one before goes on
 * with the next. Each line is guarded by its bin in the map.
 */
final class KeyOrder<T> {

    /** The keys of which a task is under way, with those that wait for it. */
    private final ConcurrentMap<Object, Queue<Entry<T>>> lines = new ConcurrentHashMap<>();

    /** Whether this one may go on; otherwise it stands in line, and is not the caller's any more. */
    boolean enter(Entry<T> entry) {
        boolean[] first = {false};
        lines.compute(keyOf(entry), (key, line) -> {
            if (line == null) {
                first[0] = true;
                return new ArrayDeque<>(1);
            }
            line.add(entry);
            return line;
        });
        return first[0];
    }

    /** The next of the same key, now under way and the caller's, after this one was settled; null if none waits. */
    @Nullable
    Entry<T> leave(Entry<T> entry) {
        List<Entry<T>> next = new ArrayList<>(1);
        lines.compute(keyOf(entry), (key, line) -> {
            Entry<T> following = line == null ? null : line.poll();
            if (following == null) {
                return null;
            }
            next.add(following);
            return line;
        });
        return next.isEmpty() ? null : next.getFirst();
    }

    private static Object keyOf(Entry<?> entry) {
        return Objects.requireNonNull(entry.key, "key");
    }

    /** Those who stand in line when the flow has stopped. */
    List<Entry<T>> leftOver() {
        List<Entry<T>> left = new ArrayList<>();
        lines.values().forEach(left::addAll);
        lines.clear();
        return left;
    }
}
