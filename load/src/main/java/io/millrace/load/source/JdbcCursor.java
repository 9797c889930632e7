// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A JDBC connection and the query that runs on the connection. */
final class JdbcCursor {

    /** Longest wait for a cancel request, which usually takes milliseconds. */
    private static final Duration CANCEL_LIMIT = Duration.ofSeconds(1);

    /** Time between two cancel requests. */
    private static final Duration CANCEL_PAUSE = Duration.ofMillis(20);

    private final Connection connection;
    private final int fetchSize;
    /** Whether the driver reads all remaining rows if a result is closed early. */
    private final boolean closeReadsRest;
    /** A thread holds this lock while it cancels or closes the query, so that these actions do not overlap. */
    private final ReentrantLock ending = new ReentrantLock();
    /** Guarded by the lock. */
    private boolean closed;

    private volatile boolean cancelled;

    /** Whether the statement is about to be executed, or is executed. Written before {@link #cancelled} is read. */
    private volatile boolean executing;

    private volatile @Nullable Statement statement;
    private @Nullable ResultSet rows;
    /** Whether the last row was read. */
    private boolean atEnd;
    /** The query that runs. */
    private String sql = "";

    JdbcCursor(Connection connection, int fetchSize, boolean closeReadsRest) {
        this.connection = connection;
        this.fetchSize = fetchSize;
        this.closeReadsRest = closeReadsRest;
    }

    void run(String query) throws SQLException {
        sql = query;
        Statement running = connection.createStatement(ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY);
        statement = running;
        running.setFetchSize(fetchSize);
        executing = true;
        try {
            checkCancelled();
            rows = running.executeQuery(query);
        } finally {
            executing = false;
        }
        // Some functions, such as SLEEP of MariaDB, end without an error when their statement is cancelled.
        checkCancelled();
    }

    private void checkCancelled() throws SQLException {
        if (cancelled) {
            throw new SQLException("cancelled");
        }
    }

    /** Prepares the connection for another query after a failed query. */
    void reset() throws SQLException {
        Statement failed = statement;
        if (failed != null) {
            failed.close();
        }
        connection.rollback();
    }

    /** Ends the running query, and runs another query in its place. */
    void runInstead(String query) throws SQLException {
        Statement replaced = statement;
        if (replaced != null) {
            replaced.close();
        }
        run(query);
    }

    String sql() {
        return sql;
    }

    ResultSet rows() {
        if (rows == null) {
            throw new IllegalStateException("no query runs");
        }
        return rows;
    }

    /** Called when the last row was read. */
    void reachedEnd() {
        atEnd = true;
    }

    boolean isClosed() throws SQLException {
        return connection.isClosed();
    }

    /**
     * Ends the query. Any thread may call this method. It sends a cancel request to the database, and then aborts the
     * connection, because a database that hangs does not react to the request. If the driver has no network connection,
     * the abort does nothing. If no query runs yet, the next query fails.
     */
    void cancel() {
        cancelled = true;
        ending.lock();
        try {
            Statement running = statement;
            if (closed) {
                return;
            }
            abort(running);
        } finally {
            ending.unlock();
        }
    }

    private void abort(@Nullable Statement running) {
        if (running != null) {
            long start = System.nanoTime();
            requestCancel(running);
            // A request has no effect if it arrives before the database executes the statement.
            while (executing
                    && System.nanoTime() - start < CANCEL_LIMIT.toNanos()
                    && !Thread.currentThread().isInterrupted()) {
                LockSupport.parkNanos(CANCEL_PAUSE.toNanos());
                requestCancel(running);
            }
        }
        attempt(() -> connection.abort(Runnable::run));
    }

    /**
     * Asks the database to cancel the statement. Does not wait long, because many drivers open another connection for
     * this request, and the database may hang.
     */
    private static void requestCancel(Statement running) {
        Thread request = Thread.ofVirtual().name("millrace-cancel").start(() -> attempt(running::cancel));
        try {
            var unused = request.join(CANCEL_LIMIT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    boolean isCancelled() {
        return cancelled;
    }

    /** Ends the query and closes the connection. Errors are ignored, because nothing was written. */
    void close() {
        ending.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            ResultSet read = rows;
            Statement running = statement;
            if (closeReadsRest && !atEnd) {
                abort(running);
            }
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

    /**
     * Runs {@code step} and ignores its failure. Drivers throw different exceptions if a connection is closed, has no
     * transaction, or does not support an abort.
     */
    private static void attempt(Step step) {
        try {
            step.run();
        } catch (SQLException | RuntimeException | AbstractMethodError e) {
            // The failure is ignored, because the connection is no longer needed.
        }
    }
}
