// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.resilience;

import io.millrace.client.command.Command;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.ConnectionLostException;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.client.exception.RedisException;
import io.millrace.client.exception.RefusedException;
import io.millrace.client.exception.TimedOutException;
import io.millrace.client.exception.UnexpectedReplyException;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Decides which failures are repeated, and which failures count for a circuit breaker. */
final class FailureRules {

    /** What the result of a call says about the server. */
    enum Verdict {
        /** The server replied. Most error replies, such as {@code WRONGTYPE}, are caused by the command. */
        SUCCESS,
        /** The server did not reply, or is temporarily unable to execute commands. */
        FAILURE,
        /** The command was not sent, or the caller ended the wait. */
        UNKNOWN
    }

    /**
     * Codes of errors that end without a change of the command. The server checks these conditions before it executes a
     * command.
     */
    private static final Set<String> TEMPORARY =
            Set.of("BUSY", "CLUSTERDOWN", "LOADING", "MASTERDOWN", "NOREPLICAS", "READONLY", "TRYAGAIN");

    private FailureRules() {}

    /**
     * Whether {@code command} may be run again after {@code failure}: the command was certainly not executed, or is
     * marked as idempotent; and the cause of the failure may end soon.
     */
    static boolean isRepeatable(Command<?> command, RedisException failure) {
        boolean idempotent = command.spec().idempotent();
        return switch (failure) {
            case RefusedException ignored -> true;
            case ConnectException e -> e.reason() == ConnectException.Reason.UNREACHABLE;
            case ConnectionLostException e -> idempotent || !e.maybeExecuted();
            case TimedOutException ignored -> idempotent;
            // A script or function may have executed commands before the command that failed.
            case ErrorReplyException e -> TEMPORARY.contains(e.code()) && (idempotent || !runsCommands(command));
            case UnexpectedReplyException ignored -> false;
            case InterruptedCommandException ignored -> false;
        };
    }

    /** Returns the verdict for a call that ended with {@code failure}, or without a failure if null. */
    static Verdict verdict(@Nullable Throwable failure) {
        if (failure == null) {
            return Verdict.SUCCESS;
        }
        if (!(unwrapped(failure) instanceof RedisException exception)) {
            return Verdict.UNKNOWN;
        }
        return switch (exception) {
            case ConnectException ignored -> Verdict.FAILURE;
            case ConnectionLostException ignored -> Verdict.FAILURE;
            case TimedOutException ignored -> Verdict.FAILURE;
            case ErrorReplyException e -> TEMPORARY.contains(e.code()) ? Verdict.FAILURE : Verdict.SUCCESS;
            case UnexpectedReplyException ignored -> Verdict.SUCCESS;
            case RefusedException ignored -> Verdict.UNKNOWN;
            case InterruptedCommandException ignored -> Verdict.UNKNOWN;
        };
    }

    /** Returns the cause of a {@link CompletionException}, and any other failure unchanged. */
    static Throwable unwrapped(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : null;
        return cause == null ? failure : cause;
    }

    private static boolean runsCommands(Command<?> command) {
        String name = command.spec().name().toUpperCase(Locale.ROOT);
        return name.startsWith("EVAL") || name.startsWith("FCALL");
    }
}
