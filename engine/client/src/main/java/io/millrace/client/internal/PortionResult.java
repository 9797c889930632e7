// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.Command;
import io.millrace.client.Outcome;
import io.millrace.client.Result;
import org.jspecify.annotations.Nullable;

/**
 * What became of one command of a pipeline. Its outcome lies with its portion.
 *
 * @param <T> what the command's reply becomes
 */
record PortionResult<T>(Command<T> command, Portion portion, int index) implements Result<T> {

    @Override
    public Outcome outcome() {
        Outcome decided = portion.outcome(index);
        if (decided == null) {
            throw new IllegalStateException(command.spec().name() + " has no outcome yet: run the pipeline first");
        }
        return decided;
    }

    @Override
    public T value() {
        return Failures.value(command, outcome(), portion);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }

    @Override
    public String toString() {
        Outcome decided = portion.outcome(index);
        return command.spec().name() + ": " + (decided == null ? "no outcome yet" : decided);
    }
}
