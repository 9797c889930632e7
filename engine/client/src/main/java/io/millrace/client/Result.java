// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.client.command.Command;
import io.millrace.client.exception.RedisException;

/**
 * Result of one command of a {@link Pipeline} or a {@link Transaction}. A failed command is an {@link Outcome}, not an
 * exception; only {@link #value} throws an exception for the failure.
 *
 * @param <T> type of the decoded reply
 */
public interface Result<T> {

    Command<T> command();

    /**
     * The outcome of the command.
     *
     * @throws IllegalStateException if {@code run} has not been called, so the command has no outcome yet
     */
    Outcome outcome();

    /** Whether the server replied without an error. */
    default boolean ok() {
        return outcome() instanceof Outcome.Ok;
    }

    /**
     * The decoded reply.
     *
     * @throws RedisException if the command failed; the same exception as {@link RedisClient#call(Command)} throws for
     *     this outcome
     * @throws IllegalStateException if {@code run} has not been called, so the command has no outcome yet
     */
    T value();
}
