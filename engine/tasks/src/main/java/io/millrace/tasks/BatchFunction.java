// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.util.List;

/**
 * What is made of several tasks at once. Called by several threads at once, for different batches.
 *
 * @param <T> a task
 * @param <R> the result of one
 */
@FunctionalInterface
public interface BatchFunction<T, R> {

    /**
     * Does the tasks and returns their results in the order of {@link Batch#tasks}, one for each. Those that failed while others
     * succeeded are named by {@link Batch#fail}; what stands in their places is not looked at.
     *
     * @throws Exception if all failed that were not named
     */
    List<R> apply(Batch<T> batch) throws Exception;
}
