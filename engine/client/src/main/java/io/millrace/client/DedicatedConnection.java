// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

/**
 * A connection that its borrower has to itself until it is closed, which gives it back: for {@code WATCH}, for commands that
 * wait on the server, for whatever must not be mixed with others' commands.
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
 * <p>Belongs to one thread at a time. A connection on which something is left (a reply that is still owed, a state that
 * cannot be undone) is closed when it is given back, not reused.
 */
public interface DedicatedConnection extends AutoCloseable {

    /**
     * Runs {@code command} and waits for its value, for its time limit at most.
     *
     * @throws RedisException as {@link RedisClient#call}
     */
    <T> T call(Command<T> command);

    /** A pipeline over this connection. */
    Pipeline pipeline();

    /** A transaction over this connection: fails with a conflict if what is watched here has changed. */
    Transaction transaction();

    /** Whether the connection still works. It does not connect again: give it back and borrow another. */
    boolean isOpen();

    /**
     * Gives the connection back; the second time it does nothing. Never fails, and never waits for the server. Returns at once
     * if the connection can be reused; otherwise when it is closed and the threads behind it have left.
     */
    @Override
    void close();
}
