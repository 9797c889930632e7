// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** How a command ended, as far as whoever ran it can tell: by an outcome, or by what was thrown. */
enum Fate {
    OK,
    ERROR,
    TIMED_OUT,
    REFUSED,
    /** Lost, and certainly not executed. */
    LOST_UNSENT,
    /** Lost, and perhaps executed. */
    LOST_SENT,
    /** Interrupted or cancelled: the command went on without its caller. */
    ABANDONED;

    static Fate of(Outcome outcome) {
        return switch (outcome) {
            case Outcome.Ok ignored -> OK;
            case Outcome.Failed ignored -> ERROR;
            case Outcome.TimedOut ignored -> TIMED_OUT;
            case Outcome.Refused ignored -> REFUSED;
            case Outcome.Lost lost -> lost.maybeExecuted() ? LOST_SENT : LOST_UNSENT;
        };
    }

    static Fate of(RedisException failure) {
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

    /** Waits for {@code future}; what is not of this client's making is thrown. */
    static Fate of(CompletableFuture<?> future) {
        try {
            future.get();
            return OK;
        } catch (CancellationException e) {
            return ABANDONED;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RedisException failure) {
                return of(failure);
            }
            throw new AssertionError("a future failed in a way of its own", e);
        } catch (InterruptedException e) {
            throw new AssertionError("nobody interrupts a test", e);
        }
    }
}
