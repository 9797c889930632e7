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
     * Executes the tasks. If only some tasks fail, call {@link Batch#fail} for each of them.
     *
     * @throws Exception the failure of all tasks that were not marked by {@link Batch#fail}
     */
    void accept(Batch<T> batch) throws Exception;
}
