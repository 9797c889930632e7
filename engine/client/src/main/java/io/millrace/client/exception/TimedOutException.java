// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.exception;

/**
 * The command's deadline passed before its reply arrived. The command may have been executed, or may be executed later.
 * The message contains its phase ({@code phase=}), which shows whether the command was sent. {@link #maybeExecuted} is
 * true in any phase.
 */
public final class TimedOutException extends RedisException {

    private static final long serialVersionUID = 1L;

    public TimedOutException(String message) {
        super(message, true);
    }
}
