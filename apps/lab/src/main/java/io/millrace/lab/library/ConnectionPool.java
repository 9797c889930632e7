// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.library;

import java.util.List;

/** A library's pool of connections. Safe to use from several threads. */
public interface ConnectionPool extends AutoCloseable {

    /** A connection of the borrower's own; waits until one is free, however long. */
    Borrowed borrow() throws Exception;

    /** Closes all connections and ends every thread of the library. */
    @Override
    void close() throws Exception;

    /**
     * A connection that goes back when it is closed. Throws if a command was answered with an error. Used by one
     * thread.
     */
    interface Borrowed extends AutoCloseable {

        /** {@code SET key value}; waits for the reply. */
        void set(Pair pair) throws Exception;

        /** The same for each pair, all in one pipeline; waits for every reply. */
        void setPipelined(List<Pair> pairs) throws Exception;

        @Override
        void close() throws Exception;
    }

    /**
     * A library that has a pool.
     *
     * @param name as in reports
     * @param note what a reader of the figures has to know
     */
    record Source(String name, String note, Opener opener) {

        /** The pools there are. */
        public static List<Source> all() {
            return List.of(JedisConnections.SOURCE, MillraceConnections.SOURCE);
        }
    }

    /** Makes pools. */
    @FunctionalInterface
    interface Opener {

        /** A pool with {@code size} connections, all of them open. */
        ConnectionPool open(Endpoint endpoint, int size) throws Exception;
    }
}
