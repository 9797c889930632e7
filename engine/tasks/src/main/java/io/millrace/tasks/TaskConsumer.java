// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

/**
 * Executes a task. Called by several threads concurrently, for different tasks.
 *
 * @param <T> type of a task
 */
@FunctionalInterface
public interface TaskConsumer<T> {

    /**
     * Executes the task. The thread is interrupted when the deadline of the task has passed or the flow drops its
     * tasks.
     *
     * @throws Exception if the task failed; the flow may retry the task, see {@link TaskFlow#retry}
     */
    void accept(T task) throws Exception;
}
