// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.client;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A client whose pool lends connections. */
public interface BorrowingClient extends ClientAdapter {

    /** Borrows a connection; waits until one is free. */
    Borrowed borrow() throws Exception;

    /** Borrows a connection for the command. */
    @Override
    default @Nullable Object call(Operation operation) throws Exception {
        try (var connection = borrow()) {
            return connection.call(operation);
        }
    }

    /** Borrows a connection for the batch. */
    @Override
    default List<? extends @Nullable Object> batch(List<Operation> operations) throws Exception {
        try (var connection = borrow()) {
            return connection.batch(operations);
        }
    }

    /** A connection for one thread. {@link #close} returns the connection to the pool. */
    interface Borrowed extends AutoCloseable {

        @Nullable
        Object call(Operation operation) throws Exception;

        List<? extends @Nullable Object> batch(List<Operation> operations) throws Exception;

        @Override
        void close() throws Exception;
    }
}
