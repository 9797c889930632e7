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
 * Serializes tasks by key. The first task of a key is pending from its production until it is settled. Tasks of the
 * same key that are produced in this time wait in the queue of their key, in order. The thread that settles a task then
 * executes the next task of the key. The map locks a bin while it computes, and this lock guards the queues in the bin.
 */
final class KeyOrder<T> {

    /** Maps each key that has a pending task to the tasks that wait for the pending task. */
    private final ConcurrentMap<Object, Queue<Entry<T>>> queues = new ConcurrentHashMap<>();

    /** Returns whether the entry may start. If not, the queue of its key owns the entry, and the entry waits there. */
    boolean enter(Entry<T> entry) {
        boolean[] first = {false};
        queues.compute(keyOf(entry), (key, queue) -> {
            if (queue == null) {
                first[0] = true;
                return new ArrayDeque<>(1);
            }
            queue.add(entry);
            return queue;
        });
        return first[0];
    }

    /**
     * Returns the next entry of the same key after {@code entry} was settled, or null if no entry waits. The caller
     * then owns the returned entry.
     */
    @Nullable
    Entry<T> leave(Entry<T> entry) {
        List<Entry<T>> next = new ArrayList<>(1);
        queues.compute(keyOf(entry), (key, queue) -> {
            Entry<T> waiting = queue == null ? null : queue.poll();
            if (waiting == null) {
                return null;
            }
            next.add(waiting);
            return queue;
        });
        return next.isEmpty() ? null : next.getFirst();
    }

    private static Object keyOf(Entry<?> entry) {
        return Objects.requireNonNull(entry.key, "key");
    }

    /** Removes and returns the waiting tasks after the flow has stopped. */
    List<Entry<T>> removeRemaining() {
        List<Entry<T>> remaining = new ArrayList<>();
        queues.values().forEach(remaining::addAll);
        queues.clear();
        return remaining;
    }
}
