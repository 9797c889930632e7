// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.exception;

/**
 * The command's deadline passed before its reply arrived. The command may have been executed, or may be executed later.
 * The message contains the phase that the command had reached ({@code phase=}). The phase shows whether the command was
 * sent. {@link #maybeExecuted} is always true for this exception, even if the command was not sent.
 */
public final class TimedOutException extends RedisException {

    private static final long serialVersionUID = 1L;

    public TimedOutException(String message) {
        super(message, true);
    }
}
