// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.client.command.Command;
import io.millrace.client.command.ScriptCall;
import io.millrace.client.exception.RedisException;

/**
 * A connection that only its borrower uses until the borrower returns the connection with {@link #close}. Needed for
 * {@code WATCH}, for {@code WAIT}, for commands that the server blocks, and for commands that must not be mixed with
 * the commands of other callers.
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
 * <p>Not thread-safe: a connection must be used by one thread at a time. When the borrower returns the connection, the
 * client closes it instead of reusing it in two cases: replies are unread, or the state of the connection cannot be
 * reset.
 */
public interface DedicatedConnection extends AutoCloseable {

    /**
     * Runs {@code command} and blocks until the command's value is available, at most for the command's time limit.
     *
     * @throws RedisException in the same cases as {@link RedisClient#call(Command)}
     */
    <T> T call(Command<T> command);

    /**
     * Runs a script as {@link RedisClient#call(ScriptCall)} does, over this connection.
     *
     * @throws RedisException in the same cases as {@link RedisClient#call(ScriptCall)}
     */
    <T> T call(ScriptCall<T> script);

    /** Returns a pipeline over this connection. */
    Pipeline pipeline();

    /**
     * Returns a transaction over this connection. The transaction ends with {@link Transaction.Ending#CONFLICT} if a
     * key watched on this connection has changed.
     */
    Transaction transaction();

    /**
     * Returns whether the connection works. A lost connection is not replaced: the caller must return it and borrow
     * another connection.
     */
    boolean isOpen();

    /**
     * Returns the connection to the pool. A second call does nothing. Throws no exception and does not wait for the
     * server. If the connection can be reused, the method returns immediately. Otherwise it closes the connection, and
     * returns after the connection's threads have ended.
     */
    @Override
    void close();
}
