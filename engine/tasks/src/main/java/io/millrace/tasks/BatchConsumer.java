// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

/**
 * Executes a batch of tasks. Called by several threads concurrently, for different batches.
 *
 * @param <T> type of a task
 */
@FunctionalInterface
public interface BatchConsumer<T> {

    /**
     * Executes the tasks. If only some tasks fail, the implementation calls {@link Batch#fail} for each failed task.
     *
     * @throws Exception if the batch failed; this exception is then the failure of each task that {@link Batch#fail}
     *     has not marked
     */
    void accept(Batch<T> batch) throws Exception;
}
