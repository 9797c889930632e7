// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

/**
 * What became of one command of a {@link Pipeline} or a {@link Transaction}. Errors are values here: only {@link #value}
 * throws.
 *
 * @param <T> what the command's reply becomes
 */
public interface Result<T> {

    Command<T> command();

    /**
     * How the command ended.
     *
     * @throws IllegalStateException if it has not: {@code run} comes first
     */
    Outcome outcome();

    /** Whether the server answered, and not with an error. */
    default boolean ok() {
        return outcome() instanceof Outcome.Ok;
    }

    /**
     * The decoded reply.
     *
     * @throws RedisException of the kind that {@link RedisClient#call} would have thrown
     * @throws IllegalStateException if the command has not ended: {@code run} comes first
     */
    T value();
}
