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
     * Called once for each task when its outcome is known. Several threads may call this method concurrently. Most of
     * them are consumers, which continue only after this method returns. The call is interrupted if it still runs one
     * grace period after the flow was dropped.
     *
     * @throws Exception if the outcome cannot be handled; the flow then stops with a {@link TaskFlowException}
     */
    void settled(Outcome<? extends T, ?> outcome) throws Exception;
}
