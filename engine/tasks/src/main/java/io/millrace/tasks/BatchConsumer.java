// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

/**
 * What is done with several tasks at once. Called by several threads at once, for different batches.
 *
 * @param <T> a task
 */
@FunctionalInterface
public interface BatchConsumer<T> {

    /**
     * Does the tasks. Those that failed while others succeeded are named by {@link Batch#fail}.
     *
     * @throws Exception if all failed that were not named
     */
    void accept(Batch<T> batch) throws Exception;
}
