// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.sql.Connection;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import java.util.Optional;
import java.util.Properties;

/** What each database needs to be told so that it streams, changes nothing, and gives values in our forms. */
enum SqlDialect {
    /** Streams within a transaction and with a fetch size; otherwise the driver reads everything into memory. */
    POSTGRESQL {
        @Override
        String urlFor(JdbcUrl url) {
            String text = url.withoutUserInfo();
            // The last one counts. Values must come as text, which is what the readers take.
            return text + (text.contains("?") ? "&" : "?") + "binaryTransfer=false&binaryTransferEnable=";
        }

        @Override
        void prepare(Connection connection) throws SQLException {
            super.prepare(connection);
            // Otherwise the same instant would be written differently on another machine.
            execute(connection, "SET TIME ZONE 'UTC'");
            // So that it outlives a query that fails.
            connection.commit();
        }

        // To count a large table takes as long as to read it, so this is what the last ANALYZE found.
        @Override
        Optional<SizeQuery> sizeQuery(String quoted, String plain) {
            return Optional.of(new SizeQuery(
                    "SELECT reltuples::bigint FROM pg_class WHERE relkind = 'r' AND reltuples > 0 AND oid = to_regclass("
                            + literal(quoted) + ")",
                    false));
        }

        @Override
        ColumnReader reader(ResultSetMetaData meta, int column) throws SQLException {
            return PostgresColumns.of(meta, column);
        }
    },
    /** MySQL and MariaDB. MySQL's own driver streams row by row if the fetch size is this constant of its documentation. */
    MYSQL {
        @Override
        int fetchSize(String driver, JdbcUrl url, int wanted) {
            boolean cursor = url.text().toLowerCase(Locale.ROOT).contains("usecursorfetch=true");
            return driver.startsWith("MySQL") && !cursor ? Integer.MIN_VALUE : wanted;
        }
    },
    /** Streams by itself. A file that is not there would be made, were it not opened for reading alone. */
    SQLITE {
        @Override
        void complete(Properties properties) {
            properties.setProperty("open_mode", "1");
        }

        @Override
        Optional<SizeQuery> sizeQuery(String quoted, String plain) {
            return count(quoted, "sqlite_master WHERE type = 'table' AND name = " + literal(plain) + " COLLATE NOCASE");
        }

        @Override
        ColumnReader reader(ResultSetMetaData meta, int column) {
            return SqliteColumn::read;
        }
    },
    /** Computes the whole result before the first row unless told to be lazy, and makes databases that are not there. */
    H2 {
        @Override
        String urlFor(JdbcUrl url) {
            String upper = url.text().toUpperCase(Locale.ROOT);
            boolean made = upper.startsWith("JDBC:H2:MEM:") || upper.contains(";IFEXISTS=");
            return made ? url.text() : url.text() + ";IFEXISTS=TRUE";
        }

        @Override
        Optional<SizeQuery> sizeQuery(String quoted, String plain) {
            return count(
                    quoted,
                    "INFORMATION_SCHEMA.TABLES WHERE TABLE_TYPE = 'BASE TABLE' AND TABLE_NAME = " + literal(plain));
        }

        @Override
        void prepare(Connection connection) throws SQLException {
            super.prepare(connection);
            execute(connection, "SET LAZY_QUERY_EXECUTION TRUE");
        }
    },
    OTHER;

    static SqlDialect of(JdbcUrl url) {
        return switch (url.scheme()) {
            case "postgresql" -> POSTGRESQL;
            case "mysql", "mariadb" -> MYSQL;
            case "sqlite" -> SQLITE;
            case "h2" -> H2;
            default -> OTHER;
        };
    }

    /** The URL to connect to. */
    String urlFor(JdbcUrl url) {
        return url.text();
    }

    /** Adds what the driver must know before it connects. */
    void complete(Properties properties) {}

    /** Puts a new connection into a transaction that only reads. */
    void prepare(Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        try {
            connection.setReadOnly(true);
        } catch (SQLException e) {
            // A promise not to write that this driver does not take; we do not write either way.
        }
    }

    int fetchSize(String driver, JdbcUrl url, int wanted) {
        return wanted;
    }

    ColumnReader reader(ResultSetMetaData meta, int column) throws SQLException {
        return ColumnReaders.of(meta, column);
    }

    /** A query for the number of rows of a table, NULL or nothing if it is not known. */
    record SizeQuery(String sql, boolean isExact) {}

    /**
     * How to learn the number of rows of a table, where that takes far less time than reading them.
     *
     * @param quoted the table as SQL has it
     * @param plain its name alone
     */
    Optional<SizeQuery> sizeQuery(String quoted, String plain) {
        return Optional.empty();
    }

    /** Counts a real table; a view would be computed as a whole. */
    private static Optional<SizeQuery> count(String quoted, String whereItIsATable) {
        return Optional.of(new SizeQuery(
                "SELECT CASE WHEN EXISTS (SELECT 1 FROM " + whereItIsATable + ") THEN (SELECT COUNT(*) FROM " + quoted
                        + ") END",
                true));
    }

    private static String literal(String text) {
        return "'" + text.replace("'", "''") + "'";
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
