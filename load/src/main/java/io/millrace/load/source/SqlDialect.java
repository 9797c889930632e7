// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.sql.Types;
import java.util.HashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.StringJoiner;

/**
 * The settings that each database needs so that it streams rows, changes nothing, and delivers values in the needed
 * format.
 */
enum SqlDialect {
    /**
     * The driver streams only in a transaction and with a fetch size. Otherwise the driver reads all rows into memory.
     */
    POSTGRESQL {
        private static final String SET_LOCAL_UTC = "SET LOCAL TIME ZONE 'UTC'";

        // Lets the server end the query soon after the connection is lost, also if the loader was killed. The method
        // Statement.cancel of the driver is not enough, because it does nothing while the driver fetches further rows.
        // The setting exists since version 14, and not on all operating systems.
        private static final String NOTICE_LOST_CLIENT = "SELECT set_config(name, '1s', %s) FROM pg_settings"
                + " WHERE name = 'client_connection_check_interval'";

        @Override
        String urlFor(JdbcUrl url) {
            String text = url.withoutUserInfo();
            // The column readers need values in text format. These properties are appended, because the last value
            // counts if a property occurs several times.
            return text + (text.contains("?") ? "&" : "?") + "binaryTransfer=false&binaryTransferEnable=";
        }

        @Override
        void prepare(Connection connection) throws SQLException {
            super.prepare(connection);
            // Without this setting, the text of an instant would depend on the time zone of the machine.
            execute(connection, "SET TIME ZONE 'UTC'");
            // Commit, so that a rollback after a failed query does not undo the setting.
            connection.commit();
            noticeLostClient(connection);
        }

        @Override
        Optional<String> exportSnapshot(Connection connection) throws SQLException {
            try (Statement statement = connection.createStatement()) {
                statement.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
                try (ResultSet rows = statement.executeQuery("SELECT pg_export_snapshot()")) {
                    return rows.next() ? Optional.of(rows.getString(1)) : Optional.empty();
                }
            }
        }

        @Override
        void importSnapshot(Connection connection, String snapshot) throws SQLException {
            execute(connection, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
            execute(connection, "SET TRANSACTION SNAPSHOT " + literal(snapshot));
        }

        private static void noticeLostClient(Connection connection) throws SQLException {
            try {
                execute(connection, NOTICE_LOST_CLIENT.formatted("false"));
                connection.commit();
            } catch (SQLException e) {
                connection.rollback();
            }
        }

        @Override
        void prepareTransaction(Connection connection) throws SQLException {
            execute(connection, SET_LOCAL_UTC);
            // A rollback of the whole transaction would undo the time zone and the imported snapshot too.
            Savepoint before = connection.setSavepoint();
            try {
                execute(connection, NOTICE_LOST_CLIENT.formatted("true"));
            } catch (SQLException e) {
                connection.rollback(before);
            }
            connection.releaseSavepoint(before);
        }

        @Override
        void prepareStatement(Statement statement) throws SQLException {
            PostgresDriver.requestText(statement);
        }

        @Override
        void cancel(Connection connection, Statement running) throws SQLException {
            if (!PostgresDriver.tryCancel(connection)) {
                running.cancel();
            }
        }

        @Override
        boolean hasUnreadableFormat(ResultSetMetaData meta) throws SQLException {
            return PostgresDriver.hasBinaryColumn(meta);
        }

        // Counting the rows of a large table takes as long as reading them. So this query reads the estimate of the
        // last ANALYZE.
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

        @Override
        Optional<String> nestedAsJson(ResultSetMetaData meta, String sql) throws SQLException {
            return converted(meta, sql, "to_json(%s)", (type, name) -> type == Types.ARRAY || type == Types.STRUCT);
        }
    },
    /** MySQL and MariaDB. The MySQL driver streams row by row if the fetch size is {@link Integer#MIN_VALUE}. */
    MYSQL {
        @Override
        int fetchSize(String driver, JdbcUrl url, int requested) {
            boolean cursor = url.text().toLowerCase(Locale.ROOT).contains("usecursorfetch=true");
            return driver.startsWith("MySQL") && !cursor ? Integer.MIN_VALUE : requested;
        }

        @Override
        boolean closeReadsRest() {
            return true;
        }

        // The date 0000-00-00 stands for a missing date. The MariaDB driver always reads it as NULL.
        @Override
        void complete(Properties properties, JdbcUrl url) {
            properties.setProperty("zeroDateTimeBehavior", "CONVERT_TO_NULL");
        }

        @Override
        ColumnReader reader(ResultSetMetaData meta, int column) throws SQLException {
            // The drivers take a year for a date, and TINYINT(1) for a boolean.
            if (meta.getColumnTypeName(column).toUpperCase(Locale.ROOT).startsWith("YEAR")) {
                return ColumnReaders::integer;
            }
            int type = meta.getColumnType(column);
            boolean isBoolean = type == Types.BOOLEAN || (type == Types.BIT && meta.getPrecision(column) <= 1);
            return isBoolean ? ColumnReaders::smallBoolean : super.reader(meta, column);
        }
    },
    /**
     * A file is opened read-only, because otherwise the driver would create a missing file. The driver streams only
     * with an option; otherwise it keeps the whole result in memory.
     */
    DUCKDB {
        @Override
        void complete(Properties properties, JdbcUrl url) {
            properties.setProperty("jdbc_stream_results", "true");
            String database = url.text().split(":", 3)[2];
            if (!database.isEmpty() && !database.startsWith(";") && !database.startsWith(":memory:")) {
                properties.setProperty("duckdb.read_only", "true");
            }
        }

        @Override
        ColumnReader reader(ResultSetMetaData meta, int column) throws SQLException {
            return switch (meta.getColumnTypeName(column)) {
                case "HUGEINT", "UHUGEINT", "UBIGINT" -> ColumnReaders::numberText;
                case "FLOAT" -> ColumnReaders::single;
                case "BIT" -> ColumnReaders::text;
                default -> super.reader(meta, column);
            };
        }

        @Override
        Optional<String> nestedAsJson(ResultSetMetaData meta, String sql) throws SQLException {
            return converted(
                    meta,
                    sql,
                    "CASE WHEN %1$s IS NULL THEN NULL ELSE to_json(%1$s) END",
                    (type, name) -> name.endsWith("]")
                            || name.startsWith("STRUCT")
                            || name.startsWith("MAP")
                            || name.startsWith("UNION"));
        }
    },
    /**
     * The driver always streams. The file is opened read-only, because otherwise the driver would create a missing
     * file.
     */
    SQLITE {
        @Override
        void complete(Properties properties, JdbcUrl url) {
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
    /**
     * H2 computes the whole result before the first row unless lazy execution is on. H2 also creates a missing
     * database.
     */
    H2 {
        @Override
        String urlFor(JdbcUrl url) {
            String upper = url.text().toUpperCase(Locale.ROOT);
            boolean unchanged = upper.startsWith("JDBC:H2:MEM:") || upper.contains(";IFEXISTS=");
            return unchanged ? url.text() : url.text() + ";IFEXISTS=TRUE";
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
        return ofProduct(url.scheme());
    }

    /** Returns the dialect for a product name that a driver reports. It is the scheme of the URL in other letter case. */
    static SqlDialect ofProduct(String product) {
        return switch (product.toLowerCase(Locale.ROOT)) {
            case "postgresql" -> POSTGRESQL;
            case "mysql", "mariadb" -> MYSQL;
            case "sqlite" -> SQLITE;
            case "h2" -> H2;
            case "duckdb" -> DUCKDB;
            default -> OTHER;
        };
    }

    /** The URL to connect to. */
    String urlFor(JdbcUrl url) {
        return url.text();
    }

    /** Adds properties that the driver needs before it connects to {@code url}. */
    void complete(Properties properties, JdbcUrl url) {}

    /** Starts a read-only transaction on a new connection. */
    void prepare(Connection connection) throws SQLException {
        startReadOnly(connection);
    }

    /**
     * Makes the settings that this database needs, on a borrowed connection. Only settings that end with the transaction
     * are possible. Called again after each rollback, and after {@link #importSnapshot} and {@link #exportSnapshot},
     * because these must be the first commands of a transaction.
     */
    void prepareTransaction(Connection connection) throws SQLException {}

    /** Requests the format of values that the column readers need, on a borrowed connection. */
    void prepareStatement(Statement statement) throws SQLException {}

    /** Asks the database to cancel a query of a borrowed connection, and leaves the connection usable. Blocks. */
    void cancel(Connection connection, Statement running) throws SQLException {
        running.cancel();
    }

    /** Whether the driver delivers values in a format that the column readers do not understand. */
    boolean hasUnreadableFormat(ResultSetMetaData meta) throws SQLException {
        return false;
    }

    /** Starts a read-only transaction. */
    static void startReadOnly(Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        try {
            connection.setReadOnly(true);
        } catch (SQLException e) {
            // Read-only mode is only a hint. Millrace writes nothing in any case.
        }
    }

    /**
     * Begins a transaction whose state of the database other connections can use. Returns the name of this state, which
     * exists until the transaction ends; empty if the database has no such states.
     */
    Optional<String> exportSnapshot(Connection connection) throws SQLException {
        return Optional.empty();
    }

    /** Begins a transaction with the state of the database that another connection has exported. */
    void importSnapshot(Connection connection, String snapshot) throws SQLException {}

    int fetchSize(String driver, JdbcUrl url, int requested) {
        return requested;
    }

    /** Whether the driver reads all remaining rows of a streamed result that is closed early. */
    boolean closeReadsRest() {
        return false;
    }

    ColumnReader reader(ResultSetMetaData meta, int column) throws SQLException {
        return ColumnReaders.of(meta, column);
    }

    /**
     * Returns {@code sql} with the arrays and rows of its result converted to JSON by the database; empty if there are
     * none, or if the database cannot convert them.
     *
     * @param meta description of the result of {@code sql}
     */
    Optional<String> nestedAsJson(ResultSetMetaData meta, String sql) throws SQLException {
        return Optional.empty();
    }

    /** Whether a column is an array or a row, by its JDBC type and the name of its type. */
    private interface NestedType {
        boolean test(int type, String name);
    }

    /**
     * Wraps {@code sql} in a query that converts its nested columns.
     *
     * @param conversion format of the expression, for the quoted name of a column
     */
    private static Optional<String> converted(ResultSetMetaData meta, String sql, String conversion, NestedType nested)
            throws SQLException {
        boolean any = false;
        Set<String> names = new HashSet<>();
        StringJoiner columns = new StringJoiner(", ");
        for (int i = 1; i <= meta.getColumnCount(); i++) {
            String quoted = "\"" + meta.getColumnLabel(i).replace("\"", "\"\"") + "\"";
            boolean convert = nested.test(meta.getColumnType(i), meta.getColumnTypeName(i));
            columns.add(convert ? conversion.formatted("q." + quoted) + " AS " + quoted : "q." + quoted);
            any |= convert;
            names.add(quoted);
        }
        // The source refuses columns with equal names later, with a better message than the database.
        boolean unique = names.size() == meta.getColumnCount();
        // The line end ends a comment at the end of the query.
        return any && unique ? Optional.of("SELECT " + columns + " FROM (\n" + sql + "\n) AS q") : Optional.empty();
    }

    /** A query for the number of rows of a table. The query returns NULL or no row if the number is unknown. */
    record SizeQuery(String sql, boolean isExact) {}

    /**
     * Returns the query for the number of rows of a table; empty if this query would take about as long as reading the
     * table.
     *
     * @param quoted quoted name of the table in SQL
     * @param plain plain name of the table
     */
    Optional<SizeQuery> sizeQuery(String quoted, String plain) {
        return Optional.empty();
    }

    /**
     * Returns a query that counts the rows of a table. For a view the query returns NULL, because a count would compute
     * the whole view.
     */
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
