// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

/**
 * Receives the outcome of each task.
 *
 * @param <T> type of a task
 */
@FunctionalInterface
public interface OutcomeListener<T> {

    /**
     * Called once for each task, when the outcome of the task is known. Several threads may call this method
     * concurrently. Usually a consumer calls this method, and takes its next task only after this method has returned.
     * One grace period after the flow was dropped, or has begun to end, the flow interrupts every call that still runs,
     * and every call that starts later.
     *
     * @throws Exception if the listener cannot handle the outcome; the flow then stops with a {@link TaskFlowException}
     */
    void settled(Outcome<? extends T, ?> outcome) throws Exception;
}
