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
     * the implementation calls {@link Batch#fail} for each failed task. The results at the positions of failed tasks
     * are ignored.
     *
     * @throws Exception if the batch failed; this exception is then the failure of each task that {@link Batch#fail}
     *     has not marked
     */
    List<R> apply(Batch<T> batch) throws Exception;
}
