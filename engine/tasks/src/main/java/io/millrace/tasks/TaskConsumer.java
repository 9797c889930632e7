// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

/**
 * What is done with a task. Called by several threads at once, for different tasks.
 *
 * @param <T> a task
 */
@FunctionalInterface
public interface TaskConsumer<T> {

    /**
     * Does the task. Interrupted when its deadline has passed or the flow is to stop.
     *
     * @throws Exception if it failed: it may be tried again, see {@link Flow#retry}
     */
    void accept(T task) throws Exception;
}
