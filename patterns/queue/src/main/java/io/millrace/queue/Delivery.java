// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

/**
 * One delivery of a task to a consumer.
 *
 * @param id the id of the task, the same for each delivery. A stream uses the entry ID. A list uses the name of the
 *     first consumer, a colon and a unique suffix
 * @param number the number of this delivery, from 1. If the number is above 1, an earlier consumer died, failed or was
 *     stopped, and may have executed the task partly or completely
 * @param task the decoded task
 * @param <T> the type of the tasks
 */
public record Delivery<T>(String id, int number, T task) {

    /** Returns whether the task was delivered before. */
    public boolean isRepeated() {
        return number > 1;
    }
}
