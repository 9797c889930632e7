// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

/** What goes wrong between this client and a server, one subtype for each thing to do about it. */
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

    /** Whether the command may have been executed, in part or whole, at the time of the exception or later. */
    public final boolean maybeExecuted() {
        return maybeExecuted;
    }
}
