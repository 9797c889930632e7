// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A connection and the query that runs on it. */
final class JdbcCursor {

    private final Connection connection;
    private final int fetchSize;
    /** Keeps a cancellation from a connection that is being closed. */
    private final ReentrantLock ending = new ReentrantLock();
    /** Guarded by the lock. */
    private boolean closed;

    private volatile boolean cancelled;
    private volatile @Nullable Statement statement;
    private @Nullable ResultSet rows;

    JdbcCursor(Connection connection, int fetchSize) {
        this.connection = connection;
        this.fetchSize = fetchSize;
    }

    void run(String sql) throws SQLException {
        Statement running = connection.createStatement(ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY);
        statement = running;
        running.setFetchSize(fetchSize);
        rows = running.executeQuery(sql);
    }

    /** Makes the connection fit for another query after one that failed. */
    void reset() throws SQLException {
        Statement failed = statement;
        if (failed != null) {
            failed.close();
        }
        connection.rollback();
    }

    ResultSet rows() {
        if (rows == null) {
            throw new IllegalStateException("no query runs");
        }
        return rows;
    }

    boolean isClosed() throws SQLException {
        return connection.isClosed();
    }

    /**
     * Ends the query from another thread: asks the database to, and then hangs up, since one that hangs would never answer.
     * Drivers that have no wire to hang up do nothing then.
     */
    void cancel() {
        cancelled = true;
        ending.lock();
        try {
            Statement running = statement;
            if (closed || running == null) {
                return;
            }
            attempt(running::cancel);
            attempt(() -> connection.abort(Runnable::run));
        } finally {
            ending.unlock();
        }
    }

    boolean isCancelled() {
        return cancelled;
    }

    /** Ends the query and closes the connection. Nothing was written, so there is nothing to lose and nothing to tell. */
    void close() {
        ending.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            ResultSet read = rows;
            Statement running = statement;
            if (read != null) {
                attempt(read::close);
            }
            if (running != null) {
                attempt(running::close);
            }
            attempt(connection::rollback);
            attempt(connection::close);
        } finally {
            ending.unlock();
        }
    }

    private interface Step {
        void run() throws SQLException;
    }

    /** Drivers fail in their own ways when a connection is gone already, has no transactions, or cannot be aborted. */
    private static void attempt(Step step) {
        try {
            step.run();
        } catch (SQLException | RuntimeException | AbstractMethodError e) {
            // Whatever it was, it is over.
        }
    }
}
