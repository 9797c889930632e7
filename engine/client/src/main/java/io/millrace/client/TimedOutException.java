// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

/**
 * A command's deadline passed before its reply came. It may have been executed, or may still be. Perhaps it was not even sent,
 * which the message says ({@code phase=}); {@link #maybeExecuted} is true in any case.
 */
public final class TimedOutException extends RedisException {

    private static final long serialVersionUID = 1L;

    public TimedOutException(String message) {
        super(message, true);
    }
}
