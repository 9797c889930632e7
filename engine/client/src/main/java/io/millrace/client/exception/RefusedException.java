// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.exception;

import io.millrace.client.Overflow;

/**
 * The command was not sent. Either the limit of commands or bytes in flight was reached, or no dedicated connection was
 * free. With {@link Overflow#BLOCK} this lasted until the deadline; with {@link Overflow#REFUSE} the command is refused
 * at once.
 */
public final class RefusedException extends RedisException {

    private static final long serialVersionUID = 1L;

    public RefusedException(String message) {
        super(message, false);
    }
}
