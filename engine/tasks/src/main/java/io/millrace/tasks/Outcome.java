// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.time.Duration;
import java.util.Optional;

/**
 * The outcome of a task.
 *
 * @param <T> type of a task
 * @param <R> type of its result
 */
public sealed interface Outcome<T, R> {

    T task();

    /** Number of attempts; 0 if the task was never started. */
    int attempts();

    /**
     * The task succeeded.
     *
     * @param result result of the last attempt
     */
    record Succeeded<T, R>(T task, int attempts, R result) implements Outcome<T, R> {}

    /**
     * The task failed and is not retried.
     *
     * @param cause failure of the last attempt
     */
    record Failed<T, R>(T task, int attempts, Throwable cause) implements Outcome<T, R> {}

    /**
     * The deadline of the task passed. Its side effects may have happened nevertheless.
     *
     * @param after the time limit
     * @param lastFailure failure of the last completed attempt, if there was one
     */
    record TimedOut<T, R>(T task, int attempts, Duration after, Optional<Throwable> lastFailure)
            implements Outcome<T, R> {}

    /** The flow stopped before the task was done. If the task was started, its side effects may have happened. */
    record Cancelled<T, R>(T task, int attempts) implements Outcome<T, R> {}
}
