// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

/**
 * Computes the result of a task. Called by several threads concurrently, for different tasks.
 *
 * @param <T> type of a task
 * @param <R> type of its result
 */
@FunctionalInterface
public interface TaskFunction<T, R> {

    /**
     * Executes the task and returns its result, which must not be null. The thread is interrupted when the deadline of
     * the task has passed or the flow drops its tasks.
     *
     * @throws Exception if the task failed; the flow may retry the task, see {@link TaskFlow#retry}
     */
    R apply(T task) throws Exception;
}
