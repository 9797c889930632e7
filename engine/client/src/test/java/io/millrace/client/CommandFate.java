// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.ConnectionLostException;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.client.exception.RedisException;
import io.millrace.client.exception.RefusedException;
import io.millrace.client.exception.TimedOutException;
import io.millrace.client.exception.UnexpectedReplyException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** The result of a command as its caller sees it: an outcome or an exception. */
enum CommandFate {
    OK,
    ERROR,
    TIMED_OUT,
    REFUSED,
    /** Lost, and not executed. */
    LOST_UNSENT,
    /** Lost, and possibly executed. */
    LOST_SENT,
    /** The caller was interrupted or cancelled its future. The command continued without its caller. */
    ABANDONED;

    static CommandFate of(Outcome outcome) {
        return switch (outcome) {
            case Outcome.Ok ignored -> OK;
            case Outcome.Failed ignored -> ERROR;
            case Outcome.TimedOut ignored -> TIMED_OUT;
            case Outcome.Refused ignored -> REFUSED;
            case Outcome.Lost lost -> lost.maybeExecuted() ? LOST_SENT : LOST_UNSENT;
        };
    }

    static CommandFate of(RedisException failure) {
        return switch (failure) {
            case ErrorReplyException ignored -> ERROR;
            case TimedOutException ignored -> TIMED_OUT;
            case RefusedException ignored -> REFUSED;
            case ConnectionLostException lost -> lost.maybeExecuted() ? LOST_SENT : LOST_UNSENT;
            case InterruptedCommandException interrupted -> interrupted.maybeExecuted() ? ABANDONED : REFUSED;
            case UnexpectedReplyException unexpected -> throw unexpected;
            case ConnectException unexpected -> throw unexpected;
        };
    }

    /**
     * Waits for {@code future} and returns its result. Throws an {@code AssertionError} if the future failed with an
     * exception other than a {@code RedisException}.
     */
    static CommandFate of(CompletableFuture<?> future) {
        try {
            future.get();
            return OK;
        } catch (CancellationException e) {
            return ABANDONED;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RedisException failure) {
                return of(failure);
            }
            throw new AssertionError("a future failed with an unexpected exception", e);
        } catch (InterruptedException e) {
            throw new AssertionError("the test was interrupted", e);
        }
    }
}
