// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

/**
 * A task that a queue has given to a consumer.
 *
 * @param id what the queue calls the task, the same at each delivery: of a stream the entry's ID, of a list the name of its first
 *     consumer, a colon and what only this task has
 * @param number which delivery of this task it is, from 1. From 2 on the task may have been done before, in part or whole: its
 *     consumer died, failed or was stopped
 * @param task as the codec read it
 * @param <T> a task
 */
public record Delivery<T>(String id, int number, T task) {

    /** Whether it was delivered before. */
    public boolean isRepeated() {
        return number > 1;
    }
}
