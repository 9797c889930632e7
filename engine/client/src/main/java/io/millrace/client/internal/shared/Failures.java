// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.Outcome;
import io.millrace.client.command.Command;
import io.millrace.client.exception.ConnectionLostException;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.client.exception.RedisException;
import io.millrace.client.exception.RefusedException;
import io.millrace.client.exception.TimedOutException;
import io.millrace.client.internal.stats.ConnectionState;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Converts outcomes to values and exceptions. A message says what failed, after how long, in which state, and what to
 * do.
 */
public final class Failures {

    private Failures() {}

    /** Returns the value of {@code command}, or throws the exception for its outcome. */
    static <T> T value(Command<T> command, Outcome outcome, @Nullable Submission submission) {
        if (outcome instanceof Outcome.Ok ok) {
            return command.spec().decode(ok.reply());
        }
        throw exception(command.spec().name(), outcome, submission);
    }

    /** Returns the exception for an outcome that is not OK. */
    static RedisException exception(String name, Outcome outcome, @Nullable Submission submission) {
        return switch (outcome) {
            case Outcome.Ok ok -> throw new IllegalArgumentException("no failure: " + ok);
            case Outcome.Failed failed -> new ErrorReplyException(name, failed.error());
            case Outcome.TimedOut ignored ->
                new TimedOutException(name + " timed out after " + limit(submission) + ": " + state(submission) + ". "
                        + adviceAfterTimeout(submission));
            case Outcome.Refused ignored ->
                new RefusedException(name + " was refused after " + since(submission) + ": " + state(submission) + ". "
                        + adviceAfterRefusal(submission));
            case Outcome.Lost lost ->
                new ConnectionLostException(
                        name + " was lost after " + since(submission) + ": " + lost.cause() + " (maybeExecuted="
                                + lost.maybeExecuted() + "). "
                                + (lost.maybeExecuted()
                                        ? "Check whether the command was executed before you repeat the command"
                                        : "The command can be repeated"),
                        lost.maybeExecuted());
        };
    }

    private static String adviceAfterRefusal(@Nullable Submission submission) {
        ConnectionState state = submission == null ? null : submission.stateAtFailure();
        return state != null && state.phase().equals(ConnectionState.WAITING_FOR_CALLBACKS)
                ? "Callbacks of earlier commands block: let them end sooner, or raise callbacks"
                : "Send fewer commands at once, or raise inFlight or inFlightBytes";
    }

    private static String adviceAfterTimeout(@Nullable Submission submission) {
        String cause = submission == null ? null : submission.lossCause();
        String neverConnected = neverConnected(submission);
        if (neverConnected != null) {
            return "The client has not been connected so far: " + neverConnected + " The command was not executed";
        }
        if (isUnconnected(submission)) {
            return "The connection was lost and not replaced in time; "
                    + (cause == null ? "the log has the cause" : "the cause was: " + cause)
                    + ". The command may have been executed before the loss";
        }
        return (cause == null ? "" : "The command was sent again after the loss of a connection: " + cause + ". ")
                + "The server or the network is slow; the command may still be executed";
    }

    static InterruptedCommandException interrupted(String name, Submission submission) {
        return new InterruptedCommandException(
                "waiting for " + name + " was interrupted after " + since(submission)
                        + ". The command was not cancelled",
                true);
    }

    static InterruptedCommandException interruptedBefore(String name, Submission submission) {
        return new InterruptedCommandException(
                "waiting for a permit for " + name + " was interrupted after " + since(submission)
                        + ". Nothing was sent",
                false);
    }

    public static InterruptedCommandException interruptedBorrower(long nanos) {
        return new InterruptedCommandException(
                "waiting for a dedicated connection was interrupted after " + millis(nanos) + ". Nothing was sent",
                false);
    }

    private static String state(@Nullable Submission submission) {
        ConnectionState state = submission == null ? null : submission.stateAtFailure();
        return state == null ? "not submitted" : state.text();
    }

    private static boolean isUnconnected(@Nullable Submission submission) {
        ConnectionState state = submission == null ? null : submission.stateAtFailure();
        return state != null && state.phase().equals(ConnectionState.NOT_CONNECTED);
    }

    private static @Nullable String neverConnected(@Nullable Submission submission) {
        SharedConnection connection = submission == null ? null : submission.connection;
        return connection == null ? null : connection.primary().failureToConnect();
    }

    private static String since(@Nullable Submission submission) {
        return submission == null || submission.connection == null
                ? "0 ms"
                : millis(submission.connection.now() - submission.submittedNanos);
    }

    private static String limit(@Nullable Submission submission) {
        return submission == null ? "its timeout" : millis(submission.timeLimitNanos());
    }

    private static String millis(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(nanos) + " ms";
    }
}
