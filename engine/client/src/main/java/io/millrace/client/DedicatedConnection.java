// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.client.command.Command;
import io.millrace.client.exception.RedisException;

/**
 * A connection for one borrower, until it is returned with {@link #close}. For {@code WATCH}, for commands that the
 * server blocks, and for commands that must not be mixed with the commands of other callers.
 *
 * <pre>{@code
 * try (DedicatedConnection connection = client.borrow()) {
 *     connection.call(Transactions.watch("stock"));
 *     long stock = connection.call(Strings.get("stock")).map(Long::parseLong).orElse(0L);
 *     Transaction transaction = connection.transaction();
 *     transaction.add(Strings.set("stock", Long.toString(stock - 1)));
 *     Transaction.Ending ending = transaction.run();
 * }
 * }</pre>
 *
 * <p>Used by one thread at a time. A connection with unread replies, or with a state that cannot be reset, is closed on
 * return and not reused.
 */
public interface DedicatedConnection extends AutoCloseable {

    /**
     * Runs {@code command} and blocks for its value, at most for its time limit.
     *
     * @throws RedisException as {@link RedisClient#call(Command)}
     */
    <T> T call(Command<T> command);

    /** Returns a pipeline over this connection. */
    Pipeline pipeline();

    /**
     * Returns a transaction over this connection. It ends with {@link Transaction.Ending#CONFLICT} if a key watched on
     * this connection has changed.
     */
    Transaction transaction();

    /** Returns whether the connection works. A lost connection is not replaced: return it and borrow another. */
    boolean isOpen();

    /**
     * Returns the connection to the pool. A second call does nothing. Never throws, and never waits for the server.
     * Returns at once if the connection can be reused; otherwise after the connection is closed and its threads have
     * ended.
     */
    @Override
    void close();
}
