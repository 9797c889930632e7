// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.exception;

/** The connection was closed before the command's reply arrived. */
public final class ConnectionLostException extends RedisException {

    private static final long serialVersionUID = 1L;

    public ConnectionLostException(String message, boolean maybeExecuted) {
        super(message, maybeExecuted);
    }
}
