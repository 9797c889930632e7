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
 * Runs tasks with equal keys one at a time. A task is pending if it may start and is not settled yet. At any time at
 * most one task of a key is pending. Later tasks with an equal key wait in the queue of the key, in the order of
 * production. The worker that settles the pending task also executes the next task of the key.
 *
 * <p>While the flow runs, a queue is accessed only inside {@link ConcurrentHashMap#compute}. This method locks a part
 * of the map that contains the key, so the queues need no other lock.
 */
final class KeyOrder<T> {

    /** Maps each key that has a pending task to the tasks that wait for the pending task. */
    private final ConcurrentMap<Object, Queue<Entry<T>>> queues = new ConcurrentHashMap<>();

    /**
     * Returns whether the entry may start. If not, the entry now waits in the queue of its key, and the caller no
     * longer owns the entry.
     */
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
