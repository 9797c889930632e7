// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.Outcome;
import io.millrace.client.Result;
import io.millrace.client.command.Command;
import io.millrace.resp.Reply;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of one command of a pipeline, stored in its batch.
 *
 * @param <T> type of the decoded reply
 */
record PipelineResult<T>(Command<T> command, PipelineBatch batch, int index) implements Result<T> {

    @Override
    public Outcome outcome() {
        Outcome decided = batch.outcome(index);
        if (decided == null) {
            throw new IllegalStateException(command.spec().name() + " has no outcome yet: run the pipeline first");
        }
        return decided;
    }

    @Override
    public T value() {
        // Without an object for the outcome, which most callers of this method do not need.
        return batch.decided(index) instanceof Reply reply && !(reply instanceof Reply.ErrorReply)
                ? command.spec().decode(reply)
                : Failures.value(command, outcome(), batch);
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
        Outcome decided = batch.outcome(index);
        return command.spec().name() + ": " + (decided == null ? "no outcome yet" : decided);
    }
}
