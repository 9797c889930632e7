// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

/**
 * One delivery of a task to a consumer.
 *
 * @param id the id of the task, the same for each delivery. In a stream queue, the id is the entry ID. In a list queue,
 *     the id begins with the name of the first consumer of the task and ends with a unique suffix
 * @param number the number of this delivery, from 1. If the number is above 1, an earlier delivery was not
 *     acknowledged. The consumer of the earlier delivery may have executed the task partly or completely
 * @param task the decoded task
 * @param <T> the type of the tasks
 */
public record Delivery<T>(String id, int number, T task) {

    /** Returns whether the task was delivered before. */
    public boolean isRepeated() {
        return number > 1;
    }
}
