// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.exception;

/**
 * The caller was interrupted while it waited. The thread's interrupt flag is set again. The connection is not affected.
 */
public final class InterruptedCommandException extends RedisException {

    private static final long serialVersionUID = 1L;

    public InterruptedCommandException(String message, boolean maybeExecuted) {
        super(message, maybeExecuted);
    }
}
