// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.Command;
import io.millrace.client.Outcome;
import io.millrace.client.Result;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * What became of one command of a pipeline or a transaction. Decided once, by whoever comes first.
 *
 * @param <T> what the command's reply becomes
 */
final class PendingResult<T> implements Result<T> {

    private static final VarHandle OUTCOME;

    static {
        try {
            OUTCOME = MethodHandles.lookup().findVarHandle(PendingResult.class, "outcome", Outcome.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Command<T> command;
    private volatile @Nullable Outcome outcome;

    /** What it was sent with; written by the pipeline's owner before that is queued. */
    @Nullable
    Submission portion;

    PendingResult(Command<T> command) {
        this.command = command;
    }

    @Override
    public Command<T> command() {
        return command;
    }

    boolean ended() {
        return outcome != null;
    }

    boolean answered() {
        return Outcomes.wasAnswered(outcome);
    }

    /** False if it was decided before. */
    boolean decide(Outcome decided) {
        return OUTCOME.compareAndSet(this, null, decided);
    }

    @Override
    public Outcome outcome() {
        Outcome decided = outcome;
        if (decided == null) {
            throw new IllegalStateException(
                    command.spec().name() + " has no outcome yet: run the pipeline or transaction first");
        }
        return decided;
    }

    @Override
    public T value() {
        return Failures.value(command, outcome(), portion);
    }

    @Override
    public String toString() {
        return command.spec().name() + ": " + (outcome == null ? "no outcome yet" : outcome);
    }
}
