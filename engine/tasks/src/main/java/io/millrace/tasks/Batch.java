// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Tasks that are executed together. Used by one thread.
 *
 * @param <T> type of a task
 */
public final class Batch<T> {

    private final List<T> tasks;
    private final @Nullable Throwable[] failures;

    Batch(List<T> tasks) {
        this.tasks = tasks;
        this.failures = new Throwable[tasks.size()];
    }

    /** The tasks, at least one, in the order in which the consumer took them. */
    public List<T> tasks() {
        return tasks;
    }

    /**
     * Marks one task as failed. The other tasks are not affected.
     *
     * @param index index in {@link #tasks}, from 0
     * @param cause the failure, which decides whether the task is retried
     * @throws IndexOutOfBoundsException if the batch has no task at {@code index}
     */
    public void fail(int index, Throwable cause) {
        failures[Objects.checkIndex(index, failures.length)] = Objects.requireNonNull(cause, "cause");
    }

    @Nullable
    Throwable failure(int index) {
        return failures[index];
    }
}
