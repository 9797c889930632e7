// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.Outcome;
import io.millrace.client.Result;
import io.millrace.client.command.Command;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of one command of a transaction. Used by the thread that runs the transaction.
 *
 * @param <T> type of the decoded reply
 */
final class TransactionResult<T> implements Result<T> {

    private final Command<T> command;
    private @Nullable Outcome outcome;

    TransactionResult(Command<T> command) {
        this.command = command;
    }

    @Override
    public Command<T> command() {
        return command;
    }

    void decide(Outcome decided) {
        outcome = decided;
    }

    @Override
    public Outcome outcome() {
        if (outcome == null) {
            throw new IllegalStateException(
                    command.spec().name() + " has no outcome: the transaction has not executed the command");
        }
        return outcome;
    }

    @Override
    public T value() {
        return Failures.value(command, outcome(), null);
    }

    @Override
    public String toString() {
        return command.spec().name() + ": " + (outcome == null ? "no outcome" : outcome);
    }
}
