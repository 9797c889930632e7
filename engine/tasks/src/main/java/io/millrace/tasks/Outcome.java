// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.time.Duration;
import java.util.Optional;

/**
 * What became of a task.
 *
 * @param <T> a task
 * @param <R> its result
 */
public sealed interface Outcome<T, R> {

    T task();

    /** How often it was begun; 0 if it never was. */
    int attempts();

    /**
     * It was done.
     *
     * @param result of its last attempt
     */
    record Succeeded<T, R>(T task, int attempts, R result) implements Outcome<T, R> {}

    /**
     * It failed, and was not to be tried again.
     *
     * @param cause of its last attempt's failure
     */
    record Failed<T, R>(T task, int attempts, Throwable cause) implements Outcome<T, R> {}

    /**
     * Its deadline passed before it was done. What it does may have happened nevertheless.
     *
     * @param after the time that it was given
     * @param lastFailure why the last attempt that ended failed, if one did
     */
    record TimedOut<T, R>(T task, int attempts, Duration after, Optional<Throwable> lastFailure)
            implements Outcome<T, R> {}

    /** The flow was stopped before it was done. If it was begun, what it does may have happened nevertheless. */
    record Cancelled<T, R>(T task, int attempts) implements Outcome<T, R> {}
}
