// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A query that runs in a transaction. Confined to the reading thread, except {@link #cancel}, {@link #isCancelled} and
 * {@link #close}.
 */
final class JdbcCursor {

    /** Longest wait for a cancel request, which usually takes milliseconds. */
    private static final Duration CANCEL_LIMIT = Duration.ofSeconds(1);

    /** Time between two cancel requests. */
    private static final Duration CANCEL_PAUSE = Duration.ofMillis(20);

    /**
     * Longest wait for the reading thread after a cancel request on a borrowed connection. Longer than a busy database
     * needs to cancel a query, because the pool then has to replace the connection.
     */
    private static final Duration NOTICE_LIMIT = Duration.ofSeconds(5);

    private final ReadTransaction transaction;
    private final int fetchSize;
    private final Duration noticeLimit;

    /** A thread holds this lock while it cancels or closes the query, so that these actions do not overlap. */
    private final ReentrantLock ending = new ReentrantLock();

    /** Guarded by the lock. */
    private boolean closed;

    /** The thread that sends the cancel requests; null if there are none. Guarded by the lock. */
    private @Nullable Thread request;

    /** Whether the database has accepted the last cancel request. A request of many drivers needs another connection. */
    private volatile boolean accepted;

    private volatile boolean cancelled;

    /** Opened when the reading thread returns from the driver after a cancellation, and when the cursor is closed. */
    private final CountDownLatch noticed = new CountDownLatch(1);

    // The reading thread writes the fields below.
    /** Whether the reading thread is in a call of the driver that may block. */
    private volatile boolean inDriver;

    /** Whether the statement is about to be executed, or is executed. Written before {@link #cancelled} is read. */
    private volatile boolean executing;

    private volatile @Nullable Statement statement;
    private @Nullable ResultSet rows;
    /** Whether the last row was read. */
    private boolean atEnd;
    /** The query that runs. */
    private String sql = "";

    JdbcCursor(ReadTransaction transaction, int fetchSize) {
        this(transaction, fetchSize, NOTICE_LIMIT);
    }

    /** @param noticeLimit longest wait for the reading thread after a cancel request on a borrowed connection */
    JdbcCursor(ReadTransaction transaction, int fetchSize, Duration noticeLimit) {
        this.transaction = transaction;
        this.fetchSize = fetchSize;
        this.noticeLimit = noticeLimit;
    }

    void run(String query) throws SQLException {
        sql = query;
        Statement running =
                transaction.connection().createStatement(ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY);
        statement = running;
        running.setFetchSize(fetchSize);
        transaction.prepare(running);
        atEnd = false;
        inDriver = true;
        executing = true;
        try {
            checkCancelled();
            rows = running.executeQuery(query);
            // Some functions, such as SLEEP of MariaDB, end without an error when their statement is cancelled.
            checkCancelled();
        } finally {
            executing = false;
            leaveDriver();
        }
    }

    /** Moves to the next row. Returns false after the last row. */
    boolean next() throws SQLException {
        inDriver = true;
        try {
            checkCancelled();
            boolean found = rows().next();
            // A statement that is cancelled may end without an error, with wrong values or without its last rows.
            checkCancelled();
            atEnd = !found;
            return found;
        } finally {
            leaveDriver();
        }
    }

    /** A thread that cancels sets the flag first and reads {@link #inDriver} later, so one of the threads sees the other. */
    private void leaveDriver() {
        inDriver = false;
        if (cancelled) {
            noticed.countDown();
        }
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
        transaction.restart();
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

    /** Ends a result of which no further row is needed. */
    void end() throws SQLException {
        rows().close();
        atEnd = true;
    }

    boolean isClosed() throws SQLException {
        return transaction.connection().isClosed();
    }

    /**
     * Ends the query. Any thread may call this method. It sends a cancel request to the database, and then aborts the
     * connection, because a database that hangs does not react to the request. If the driver has no network connection,
     * the abort does nothing. If no query runs yet, the next query fails.
     *
     * <p>A borrowed connection is aborted only if the database does not react to the request in time. Blocks until the
     * database has reacted.
     */
    void cancel() {
        cancelled = true;
        if (transaction.isBorrowed()) {
            cancelBorrowed();
            return;
        }
        ending.lock();
        try {
            if (!closed) {
                endQuery();
                transaction.abort();
            }
        } finally {
            ending.unlock();
        }
    }

    private void cancelBorrowed() {
        ending.lock();
        try {
            if (closed || statement == null) {
                return;
            }
            startRequest();
        } finally {
            ending.unlock();
        }
        // Without the lock: the reading thread notices the cancellation when it closes this cursor.
        if (awaitNotice()) {
            return;
        }
        ending.lock();
        try {
            if (!closed && inDriver) {
                transaction.abort();
            }
        } finally {
            ending.unlock();
        }
    }

    private boolean awaitNotice() {
        return isOpenInTime(noticed);
    }

    private boolean isOpenInTime(CountDownLatch latch) {
        try {
            return latch.await(noticeLimit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    /** Starts the thread of the cancel requests, unless it was started before. The caller must hold the lock. */
    private void startRequest() {
        Statement running = statement;
        if (request == null && running != null) {
            request = Thread.ofVirtual().name("millrace-cancel").start(() -> requestCancel(running));
        }
    }

    /**
     * Asks the database to cancel the statement, until the reading thread notices the cancellation. A request has no effect if
     * it arrives before the database executes the statement.
     */
    private void requestCancel(Statement running) {
        long start = System.nanoTime();
        sendRequest(running);
        while (isCancelNeeded() && System.nanoTime() - start < requestLimit().toNanos()) {
            LockSupport.parkNanos(CANCEL_PAUSE.toNanos());
            if (isCancelNeeded()) {
                sendRequest(running);
            }
        }
    }

    private void sendRequest(Statement running) {
        ReadTransaction.attempt(() -> {
            transaction.cancel(running);
            accepted = true;
        });
    }

    private Duration requestLimit() {
        return transaction.isBorrowed() ? noticeLimit : CANCEL_LIMIT;
    }

    /** Whether the reading thread still waits for the database. A connection of our own is aborted while rows are fetched. */
    private boolean isCancelNeeded() {
        return transaction.isBorrowed() ? inDriver : executing;
    }

    /**
     * Asks the database to cancel the query. Does not wait long, because many drivers open another connection for this
     * request, and the database may hang. The caller must hold the lock.
     */
    private void endQuery() {
        startRequest();
        var unused = isRequestOver();
    }

    /** Waits for the end of the cancel requests. Returns false if they do not end soon. */
    private boolean isRequestOver() {
        Thread sending = request;
        if (sending == null) {
            return true;
        }
        try {
            return sending.join(requestLimit());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return !sending.isAlive();
        }
    }

    /** Whether the reading thread is in a call of the driver that may block. Any thread. */
    boolean isInDriver() {
        return inDriver;
    }

    boolean isCancelled() {
        return cancelled;
    }

    /** The driver of MySQL, which streams with this fetch size, ignores a cancellation after the query has returned. */
    private boolean ignoresCancel() {
        return fetchSize == Integer.MIN_VALUE;
    }

    /**
     * Closes a result. Some drivers then read the rest of the result. Only a cancelled query has a short rest, so without
     * an accepted cancel request the connection is aborted first. The caller must hold the lock.
     *
     * @return false if the connection was aborted
     */
    private boolean close(ResultSet read) {
        boolean readsRest = !atEnd && transaction.dialect().closeReadsRest();
        boolean keeps = transaction.isBorrowed() && !ignoresCancel();
        if (readsRest && keeps && isCancelAccepted()) {
            return closeInTime(read);
        }
        if (readsRest) {
            if (!keeps) {
                endQuery();
            }
            transaction.abort();
        }
        ReadTransaction.attempt(read::close);
        return !readsRest;
    }

    /** Sends a new cancel request, because an earlier request may have come before the execution of the statement. */
    private boolean isCancelAccepted() {
        if (!isRequestOver()) {
            return false;
        }
        request = null;
        accepted = false;
        startRequest();
        return isRequestOver() && accepted;
    }

    /**
     * Closes a result of a cancelled query. Aborts the connection if the database does not end the query in time.
     *
     * @return false if the connection was aborted
     */
    private boolean closeInTime(ResultSet read) {
        CountDownLatch over = new CountDownLatch(1);
        AtomicBoolean aborted = new AtomicBoolean();
        Thread watch = Thread.ofVirtual().name("millrace-cancel").start(() -> {
            if (!isOpenInTime(over)) {
                aborted.set(true);
                transaction.abort();
            }
        });
        ReadTransaction.attempt(read::close);
        over.countDown();
        try {
            // An abort after the return of the connection would hit the next borrower.
            watch.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
        return !aborted.get();
    }

    /**
     * Ends the query, and closes the connection or gives it back. A late cancel request would hit a query of the next
     * borrower. So a connection whose request has not ended is not given back for use.
     */
    void close() {
        noticed.countDown();
        ending.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            ResultSet read = rows;
            Statement running = statement;
            boolean usable = read == null || close(read);
            if (running != null) {
                ReadTransaction.attempt(running::close);
            }
            transaction.end(usable && (!transaction.isBorrowed() || isRequestOver()));
        } finally {
            ending.unlock();
        }
    }
}
