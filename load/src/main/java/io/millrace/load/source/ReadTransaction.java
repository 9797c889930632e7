// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;

/**
 * The read-only transaction in which a database is read, and its connection. Confined to the reading thread, except
 * {@link #cancel} and {@link #abort}.
 *
 * <p>DESIGN. The connection is opened for one reader, or a data source has lent it. Settings of a connection of our own
 * last until it is closed. A borrowed connection goes back as it came: its settings end with the transaction, which is
 * rolled back, and {@link #end} restores the two properties of JDBC that the reader has changed. If a step of this
 * fails, the connection is aborted, so that the pool replaces it.
 */
final class ReadTransaction {

    private final Connection connection;
    private final SqlDialect dialect;
    private final JdbcUrl url;
    private final JdbcErrors errors;

    /** The state of a borrowed connection before the transaction; empty for a connection of our own. */
    private final Optional<LentState> lent;

    /** The state of the database that is read; empty for the present state. */
    private final Optional<String> snapshot;

    private ReadTransaction(
            Connection connection,
            SqlDialect dialect,
            JdbcUrl url,
            JdbcErrors errors,
            Optional<LentState> lent,
            Optional<String> snapshot) {
        this.connection = connection;
        this.dialect = dialect;
        this.url = url;
        this.errors = errors;
        this.lent = lent;
        this.snapshot = snapshot;
    }

    /** The properties of a connection that a transaction changes. */
    private record LentState(boolean autoCommit, boolean readOnly) {

        static LentState of(Connection connection) throws SQLException {
            return new LentState(connection.getAutoCommit(), connection.isReadOnly());
        }

        void restore(Connection connection) throws SQLException {
            // In this order: some drivers change the mode of the session when they commit automatically again.
            if (connection.isReadOnly() != readOnly) {
                connection.setReadOnly(readOnly);
            }
            if (connection.getAutoCommit() != autoCommit) {
                connection.setAutoCommit(autoCommit);
            }
        }
    }

    /** Begins a transaction on a new connection, which {@link #end} closes. Closes the connection if this fails. */
    static ReadTransaction begin(
            Connection connection, SqlDialect dialect, JdbcUrl url, JdbcErrors errors, Optional<String> snapshot) {
        ReadTransaction begun = new ReadTransaction(connection, dialect, url, errors, Optional.empty(), snapshot);
        try {
            dialect.prepare(connection);
            begun.prepare();
            return begun;
        } catch (SQLException | RuntimeException e) {
            begun.end(true);
            throw errors.connecting(e);
        }
    }

    /** Begins a transaction on a connection of a data source. {@link #end} gives the connection back. */
    static ReadTransaction beginBorrowed(
            Connection connection, SqlDialect dialect, JdbcUrl url, JdbcErrors errors, Optional<String> snapshot)
            throws SQLException {
        LentState lent = LentState.of(connection);
        ReadTransaction begun = new ReadTransaction(connection, dialect, url, errors, Optional.of(lent), snapshot);
        try {
            SqlDialect.startReadOnly(connection);
            begun.prepare();
            return begun;
        } catch (SQLException | RuntimeException e) {
            begun.end(true);
            throw e;
        }
    }

    Connection connection() {
        return connection;
    }

    SqlDialect dialect() {
        return dialect;
    }

    JdbcUrl url() {
        return url;
    }

    JdbcErrors errors() {
        return errors;
    }

    boolean isBorrowed() {
        return lent.isPresent();
    }

    /** Prepares a statement, so that the driver delivers the values in the format that the column readers need. */
    void prepare(Statement statement) throws SQLException {
        if (isBorrowed()) {
            dialect.prepareStatement(statement);
        }
    }

    /** Makes the settings of a transaction that has just begun. */
    private void prepare() throws SQLException {
        if (snapshot.isPresent()) {
            dialect.importSnapshot(connection, snapshot.get());
        }
        if (isBorrowed()) {
            dialect.prepareTransaction(connection);
        }
    }

    /** Begins the transaction again after a failed query. */
    void restart() throws SQLException {
        connection.rollback();
        prepare();
    }

    /**
     * Begins the transaction again. Returns the name of the state of the database that it reads, for other connections;
     * empty if the database has no such names.
     */
    Optional<String> restartForExport() throws SQLException {
        connection.rollback();
        Optional<String> exported = dialect.exportSnapshot(connection);
        prepare();
        return exported;
    }

    /** Asks the database to cancel the query. Blocks, because many drivers open another connection. Any thread. */
    void cancel(Statement running) throws SQLException {
        if (isBorrowed()) {
            dialect.cancel(connection, running);
        } else {
            running.cancel();
        }
    }

    /** Closes the network connection, if the driver has one. Any thread. */
    void abort() {
        attempt(() -> connection.abort(Runnable::run));
    }

    /**
     * Ends the transaction, and closes the connection or gives it back. Ignores errors, because nothing was written.
     *
     * @param usable false if a borrowed connection must not be used any more
     */
    void end(boolean usable) {
        if (lent.isEmpty()) {
            attempt(connection::rollback);
        } else if (!usable || !tryRestore(lent.get())) {
            abort();
        }
        attempt(connection::close);
    }

    private boolean tryRestore(LentState state) {
        try {
            if (!connection.getAutoCommit()) {
                connection.rollback();
            }
            state.restore(connection);
            return true;
        } catch (SQLException | RuntimeException e) {
            return false;
        }
    }

    /** A call of a driver. */
    interface Step {
        void run() throws SQLException;
    }

    /**
     * Runs {@code step} and ignores its failure. Drivers throw different exceptions if a connection is closed, has no
     * transaction, or does not support an abort.
     */
    static void attempt(Step step) {
        try {
            step.run();
        } catch (SQLException | RuntimeException | AbstractMethodError e) {
            // The failure is ignored, because the connection is no longer needed.
        }
    }
}
