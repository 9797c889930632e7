// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

/**
 * What is made of a task. Called by several threads at once, for different tasks.
 *
 * @param <T> a task
 * @param <R> its result
 */
@FunctionalInterface
public interface TaskFunction<T, R> {

    /**
     * Does the task and returns its result, which is not null. Interrupted when its deadline has passed or the flow is to stop.
     *
     * @throws Exception if it failed: it may be tried again, see {@link Flow#retry}
     */
    R apply(T task) throws Exception;
}
