// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

/** The connection ended before a command's reply came. */
public final class ConnectionLostException extends RedisException {

    private static final long serialVersionUID = 1L;

    public ConnectionLostException(String message, boolean maybeExecuted) {
        super(message, maybeExecuted);
    }
}
