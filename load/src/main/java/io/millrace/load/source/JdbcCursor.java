// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/** A connection and the query that runs on it. */
final class JdbcCursor {

    private final Connection connection;
    private final int fetchSize;
    private @Nullable Statement statement;
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
        if (statement != null) {
            statement.close();
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

    /** Ends the query and closes the connection. Nothing was written, so there is nothing to lose and nothing to tell. */
    void close() {
        closeQuietly(rows);
        closeQuietly(statement);
        try {
            connection.rollback();
        } catch (SQLException e) {
            // Gone already, or has no transactions.
        }
        closeQuietly(connection);
    }

    private static void closeQuietly(@Nullable AutoCloseable what) {
        if (what == null) {
            return;
        }
        try {
            what.close();
        } catch (Exception e) {
            // Whatever it was, it is over.
        }
    }
}
