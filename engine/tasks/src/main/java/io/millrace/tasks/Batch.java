// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Tasks that are done together. Used by one thread.
 *
 * @param <T> a task
 */
public final class Batch<T> {

    private final List<T> tasks;
    private final @Nullable Throwable[] failures;

    Batch(List<T> tasks) {
        this.tasks = tasks;
        this.failures = new Throwable[tasks.size()];
    }

    /** At least one, in the order in which they were taken. */
    public List<T> tasks() {
        return tasks;
    }

    /**
     * Says that one of them failed, which of itself says nothing about the others.
     *
     * @param index its place among {@link #tasks}, from 0
     * @param cause why; whether it is tried again depends on it
     * @throws IndexOutOfBoundsException if there is no such place
     */
    public void fail(int index, Throwable cause) {
        failures[Objects.checkIndex(index, failures.length)] = Objects.requireNonNull(cause, "cause");
    }

    @Nullable
    Throwable failure(int index) {
        return failures[index];
    }
}
