// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

/**
 * Is told what became of each task.
 *
 * @param <T> a task
 */
@FunctionalInterface
public interface OutcomeListener<T> {

    /**
     * Called once for each task, as soon as its outcome is known, by several threads at once, mostly by consumers, which go on only
     * after it; interrupted when the flow has been dropped for as long as its grace.
     *
     * @throws Exception if it cannot take note: the flow then stops, with a {@link FlowException}
     */
    void settled(Outcome<? extends T, ?> outcome) throws Exception;
}
