// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

/**
 * A command was not sent, because the limit of commands or bytes in flight was reached, or because no dedicated connection was
 * free: until the deadline, or, with {@link Overflow#REFUSE}, at once.
 */
public final class RefusedException extends RedisException {

    private static final long serialVersionUID = 1L;

    public RefusedException(String message) {
        super(message, false);
    }
}
