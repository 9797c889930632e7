// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.exception;

import io.millrace.client.Overflow;

/**
 * The command was not sent. Either the limit of commands or bytes in flight was reached, or no dedicated connection was
 * free. At the limit, {@link Overflow#BLOCK} refuses the command at its deadline and {@link Overflow#REFUSE} refuses
 * the command at once. A wait for a dedicated connection ends at the deadline.
 */
public final class RefusedException extends RedisException {

    private static final long serialVersionUID = 1L;

    public RefusedException(String message) {
        super(message, false);
    }
}
