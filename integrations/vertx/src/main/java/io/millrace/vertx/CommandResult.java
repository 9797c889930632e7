// SPDX-License-Identifier: Apache-2.0
package io.millrace.vertx;

import io.millrace.client.Outcome;
import io.millrace.client.Result;
import io.millrace.client.command.Command;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.ConnectionLostException;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.client.exception.RedisException;
import io.millrace.client.exception.RefusedException;
import io.millrace.client.exception.TimedOutException;
import io.millrace.client.exception.UnexpectedReplyException;
import io.millrace.resp.Reply;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The result of one command of a pipeline: its reply or its failure.
 *
 * @param reply the undecoded reply; null if the command failed
 * @param failure null if the command did not fail
 */
record CommandResult<T>(
        Command<T> command, @Nullable Reply reply, @Nullable RedisException failure) implements Result<T> {

    @Override
    public Outcome outcome() {
        return switch (failure) {
            case null -> new Outcome.Ok(Objects.requireNonNull(reply));
            case ErrorReplyException error -> new Outcome.Failed(error.error());
            case TimedOutException ignored -> new Outcome.TimedOut();
            case RefusedException ignored -> new Outcome.Refused();
            case ConnectionLostException lost -> lost(lost);
            case ConnectException lost -> lost(lost);
            case UnexpectedReplyException lost -> lost(lost);
            case InterruptedCommandException lost -> lost(lost);
        };
    }

    private static Outcome lost(RedisException failure) {
        return new Outcome.Lost(failure.maybeExecuted(), String.valueOf(failure.getMessage()));
    }

    @Override
    public T value() {
        if (failure != null) {
            throw failure;
        }
        return command.spec().decode(Objects.requireNonNull(reply));
    }
}
