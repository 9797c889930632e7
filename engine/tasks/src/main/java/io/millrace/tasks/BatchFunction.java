// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.util.List;

/**
 * Computes the results of a batch of tasks. Called by several threads concurrently, for different batches.
 *
 * @param <T> type of a task
 * @param <R> type of a task's result
 */
@FunctionalInterface
public interface BatchFunction<T, R> {

    /**
     * Executes the tasks and returns one result for each, in the order of {@link Batch#tasks}. If only some tasks fail,
     * call {@link Batch#fail} for each of them; the results at their positions are ignored.
     *
     * @throws Exception the failure of all tasks that were not marked by {@link Batch#fail}
     */
    List<R> apply(Batch<T> batch) throws Exception;
}
