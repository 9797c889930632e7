// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.sql.Connection;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import org.postgresql.PGConnection;
import org.postgresql.PGResultSetMetaData;
import org.postgresql.PGStatement;

/**
 * Calls of the PostgreSQL driver for which JDBC has no method. They are needed for a connection of a data source, because
 * the source does not choose the properties of such a connection. The driver is an optional dependency: without the
 * driver, or with the driver of another class loader, the methods do nothing.
 */
final class PostgresDriver {

    private static final boolean PRESENT = isPresent();

    private PostgresDriver() {}

    private static boolean isPresent() {
        try {
            Class<?> unused =
                    Class.forName("org.postgresql.PGStatement", false, PostgresDriver.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }

    /** Requests values as text. The driver would use a binary format for a statement that it has prepared. */
    static void requestText(Statement statement) throws SQLException {
        if (PRESENT && statement.isWrapperFor(PGStatement.class)) {
            statement.unwrap(PGStatement.class).setPrepareThreshold(0);
        }
    }

    /** Whether the driver delivers a column in binary format nevertheless. */
    static boolean hasBinaryColumn(ResultSetMetaData meta) throws SQLException {
        if (!PRESENT || !meta.isWrapperFor(PGResultSetMetaData.class)) {
            return false;
        }
        PGResultSetMetaData formats = meta.unwrap(PGResultSetMetaData.class);
        for (int column = 1; column <= meta.getColumnCount(); column++) {
            if (formats.getFormat(column) != 0) { // 0 is text, 1 is binary
                return true;
            }
        }
        return false;
    }

    /**
     * Cancels whatever the connection runs. In contrast, {@link Statement#cancel} does nothing while the driver fetches
     * further rows. Returns false, and does nothing, if the driver is not accessible.
     */
    static boolean tryCancel(Connection connection) throws SQLException {
        if (!PRESENT || !connection.isWrapperFor(PGConnection.class)) {
            return false;
        }
        connection.unwrap(PGConnection.class).cancelQuery();
        return true;
    }
}
