// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.Command;
import io.millrace.client.Outcome;
import io.millrace.client.Result;
import org.jspecify.annotations.Nullable;

/**
 * What became of one command of a transaction. Belongs to the thread that runs it.
 *
 * @param <T> what the command's reply becomes
 */
final class PendingResult<T> implements Result<T> {

    private final Command<T> command;
    private @Nullable Outcome outcome;

    PendingResult(Command<T> command) {
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
            throw new IllegalStateException(command.spec().name() + " was not executed, or not yet");
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
