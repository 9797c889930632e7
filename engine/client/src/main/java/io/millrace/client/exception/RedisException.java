// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.exception;

/**
 * A failed command or a failed connection. There is one subtype for each kind of failure, because the caller must react
 * differently to each kind.
 */
public abstract sealed class RedisException extends RuntimeException
        permits ConnectException,
                ErrorReplyException,
                TimedOutException,
                RefusedException,
                ConnectionLostException,
                UnexpectedReplyException,
                InterruptedCommandException {

    private static final long serialVersionUID = 1L;

    private final boolean maybeExecuted;

    RedisException(String message, boolean maybeExecuted) {
        super(message);
        this.maybeExecuted = maybeExecuted;
    }

    /** Whether the command may have been executed, in part or completely, or may still be executed later. */
    public final boolean maybeExecuted() {
        return maybeExecuted;
    }
}
