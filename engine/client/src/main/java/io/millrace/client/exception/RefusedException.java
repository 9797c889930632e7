// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.exception;

import io.millrace.client.ClientOptions;
import io.millrace.client.Overflow;
import io.millrace.client.resilience.CircuitBreaker;

/**
 * The command was not sent, for one of four reasons.
 *
 * <p>The first possible reason: the limit of commands or bytes in flight was reached. With {@link Overflow#BLOCK}, the
 * command is then refused at its deadline. With {@link Overflow#REFUSE}, the command is refused immediately.
 *
 * <p>The second possible reason: the command needed a dedicated connection, and no dedicated connection became free
 * before the deadline.
 *
 * <p>The third possible reason: a {@link CircuitBreaker} refused the command.
 *
 * <p>The fourth possible reason: the command was given to {@code send} while as many callbacks ran as {@link
 * ClientOptions#CALLBACKS} allows, and others waited. {@link Overflow} applies as for the first reason.
 */
public final class RefusedException extends RedisException {

    private static final long serialVersionUID = 1L;

    public RefusedException(String message) {
        super(message, false);
    }
}
