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
     * Called once for each task, as soon as its outcome is known, by the threads of consumers, by several at once. To be quick: the
     * consumer goes on only after it.
     *
     * @throws Exception if it cannot take note: the flow then stops, with a {@link FlowException}
     */
    void settled(Outcome<? extends T, ?> outcome) throws Exception;
}
