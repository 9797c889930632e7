// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import io.millrace.load.source.SourceException.Kind;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.regex.Pattern;

/**
 * Rows of a table or a query, from any database with a JDBC driver on the class path, or in a file of {@link
 * JdbcOptions#drivers}.
 *
 * <p>Rows are read in one read-only transaction, and streamed: with PostgreSQL, MySQL, MariaDB, SQLite and H2, at most
 * {@link JdbcOptions#fetchSize} rows are in memory at once. Other drivers get the same settings, but may ignore them.
 *
 * <p>Numbers are written without an exponent, booleans as {@code true} and {@code false}, dates and times in ISO 8601,
 * always with seconds. A timestamp with a time zone is written in UTC, {@code 2026-11-21T12:00:00Z}. A timestamp
 * without a time zone is written without an offset, {@code 2026-11-21T12:00:00}, because the database does not know the
 * offset. Binary values are raw bytes. NaN and infinities are text. All other values (UUID, enums) are the text of the
 * driver. SQLite has no types for dates and booleans, so the stored values are delivered. A value that the driver
 * cannot read rejects its row.
 *
 * <p>JSON values stay unchanged, and arrays become JSON arrays ({@link Row.Kind#JSON}). With PostgreSQL and DuckDB,
 * rows and structures become JSON objects. With MySQL and MariaDB, a year is a number, {@code TINYINT(1)} is a boolean
 * if its value is 0 or 1, and the date {@code 0000-00-00} is NULL.
 *
 * <p>A URL that would load classes, read other files, run SQL or call another driver is refused.
 */
public final class JdbcSource implements RowSource {

    private static final Pattern ORDER_BY = Pattern.compile("\\border\\s+by\\b", Pattern.CASE_INSENSITIVE);

    private final JdbcUrl url;
    private final JdbcOptions options;
    private final Optional<String> table;
    private final String query;
    private final JdbcErrors errors;
    /** The state of the database that this source reads; empty for the state at its start. */
    private final Optional<String> snapshot;

    private JdbcSource(
            String url, Optional<String> table, String query, Optional<String> snapshot, JdbcOptions options) {
        this.url = JdbcUrl.of(url);
        this.options = options;
        this.table = table;
        this.query = query.strip().replaceFirst("[;\\s]+$", "");
        this.snapshot = snapshot;
        List<String> secrets = new ArrayList<>(this.url.secrets());
        options.password().ifPresent(secrets::add);
        this.errors = new JdbcErrors(this.url.name(), secrets);
    }

    /**
     * All rows of a table or view.
     *
     * @param table name, or {@code schema.table}. The name is quoted in SQL. If there is no table with exactly this
     *     name, the source reads the table whose name differs only in letter case
     */
    public static JdbcSource ofTable(String url, String table, JdbcOptions options) {
        return new JdbcSource(url, Optional.of(table), "", Optional.empty(), options);
    }

    /** The rows that {@code query} returns. The query must be a single statement. */
    public static JdbcSource ofQuery(String url, String query, JdbcOptions options) {
        return new JdbcSource(url, Optional.empty(), query, Optional.empty(), options);
    }

    /**
     * The same rows, read with several connections at once. Each connection reads a range of the values of a column.
     * This is faster if the database or the network needs long for each row, and if the column has an index.
     *
     * <p>The rows of a range keep their order, but the order between the ranges is not determined. So of several rows
     * with the same key, any one may be the last. With PostgreSQL, all connections see the same state of the database;
     * with other databases, each connection sees the state at its start.
     *
     * <p>The source first asks the database for the smallest and the largest value. If this takes long, for example
     * because the query calls a slow function for each row, name the {@linkplain #partitioned(String, long, long, int)
     * values} instead.
     *
     * @param column name of a column with whole numbers, such as the primary key. The letter case does not matter.
     *     Rows with NULL in this column belong to the last range
     * @param readers number of connections, {@link JdbcOptions#READERS}
     */
    public RowSource partitioned(String column, int readers) {
        JdbcOptions.READERS.check(readers);
        return new PartitionedJdbcSource(this, column, Optional.empty(), readers);
    }

    /**
     * The same, without the question for the smallest and the largest value of the column. The first range has all rows
     * below {@code smallest} too, and the last range all rows above {@code largest}, so no row is lost.
     *
     * @throws IllegalArgumentException if {@code smallest} is above {@code largest}
     */
    public RowSource partitioned(String column, long smallest, long largest, int readers) {
        JdbcOptions.READERS.check(readers);
        return new PartitionedJdbcSource(this, column, Optional.of(KeyRanges.Bounds.of(smallest, largest)), readers);
    }

    @Override
    public String name() {
        return url.name();
    }

    @Override
    public boolean readableAgain() {
        return true;
    }

    /** The table or the text of the query. The data of the database have no identity. */
    @Override
    public Map<String, String> identity() {
        return table.map(name -> Map.of("table", name)).orElseGet(() -> Map.of("query", query));
    }

    /** Whether the query contains ORDER BY. A database may read a table in another order each time. */
    @Override
    public boolean hasStableOrder() {
        return table.isEmpty() && ORDER_BY.matcher(query).find();
    }

    /**
     * Connects to the database and starts the query. Blocks until the database has answered the query.
     *
     * @throws SourceException {@link Kind#UNREACHABLE} if the database is unreachable or refuses the login, {@link
     *     Kind#UNUSABLE} if the driver or the table does not exist, or if the query is invalid
     */
    @Override
    public RowReader open() {
        return open(cancel -> {});
    }

    /**
     * The same. A cancellation ends the query, on the server too where the driver supports this. While the driver
     * connects, the opening cannot be cancelled.
     */
    @Override
    public RowReader open(OpeningListener listener) {
        SqlDialect dialect = checkedDialect();
        Connection connection = connect(dialect);
        try {
            dialect.prepare(connection);
            if (snapshot.isPresent()) {
                dialect.importSnapshot(connection, snapshot.get());
            }
            return query(dialect, connection, listener);
        } catch (SQLException | RuntimeException e) {
            closeAfter(e, connection);
            throw e instanceof SourceException sourceFailure ? sourceFailure : errors.connecting(e);
        }
    }

    JdbcErrors errors() {
        return errors;
    }

    /** The dialect of the database. Refuses an unsafe URL. */
    SqlDialect checkedDialect() {
        JdbcUrlRules.refusal(url.text()).ifPresent(why -> {
            throw errors.unusable("cannot use %s: %s.".formatted(url.name(), why));
        });
        return SqlDialect.of(url);
    }

    /** The rows of {@code relation} that satisfy {@code condition}. */
    JdbcSource part(Relation relation, String condition, Optional<String> ofSnapshot) {
        return new JdbcSource(
                url.text(),
                Optional.empty(),
                "SELECT * FROM " + relation.sql() + " WHERE " + condition,
                ofSnapshot,
                options);
    }

    Connection connect(SqlDialect dialect) {
        String target = dialect.urlFor(url);
        Properties properties = new Properties();
        // If the properties of the URL contain a user or a password, the driver reads it from the URL. It is not passed
        // to the driver again, because some drivers refuse a value that they receive twice.
        if (!url.namesUser()) {
            url.user().or(options::user).ifPresent(user -> properties.setProperty("user", user));
        }
        if (!url.namesPassword()) {
            url.password().or(options::password).ifPresent(secret -> properties.setProperty("password", secret));
        }
        dialect.complete(properties, url);
        List<Driver> drivers = JdbcDrivers.all(options.drivers());
        try {
            for (Driver driver : drivers) {
                Connection connection = driver.acceptsURL(target) ? driver.connect(target, properties) : null;
                if (connection != null) {
                    return connection;
                }
            }
        } catch (SQLException | RuntimeException e) {
            throw errors.connecting(e);
        }
        throw noDriver(drivers);
    }

    private SourceException noDriver(List<Driver> all) {
        List<String> drivers = all.stream()
                .map(driver -> driver.getClass().getName())
                .sorted()
                .distinct()
                .toList();
        String scheme = url.scheme();
        for (String driver : drivers) {
            if (driver.toLowerCase(Locale.ROOT).contains("." + scheme + ".")) {
                return errors.unusable(
                        "cannot use %s: its driver %s does not accept this URL. Check host, port and database."
                                .formatted(url.name(), driver));
            }
        }
        return errors.unusable("cannot use %s: there is no driver for jdbc:%s:. Available drivers: %s. %s"
                .formatted(url.name(), scheme, String.join(", ", drivers), JdbcDrivers.advice(scheme)));
    }

    private RowReader query(SqlDialect dialect, Connection connection, OpeningListener listener) throws SQLException {
        int fetchSize = dialect.fetchSize(connection.getMetaData().getDriverName(), url, options.fetchSize());
        JdbcCursor cursor = new JdbcCursor(connection, fetchSize, dialect.closeReadsRest());
        listener.opening(cursor::cancel);
        TableSize size = TableSize.UNKNOWN;
        if (table.isPresent()) {
            size = selectAll(cursor, dialect, connection, "").size();
        } else {
            run(cursor, query, "the query");
        }
        convertNested(cursor, dialect);
        return JdbcRowReader.over(cursor, dialect, url.name(), errors, size);
    }

    /**
     * A table or a query, after FROM.
     *
     * @param sql quoted name, or a query in parentheses
     */
    record Relation(String sql, TableSize size) {}

    /** Runs the query of this source with {@code condition}. */
    Relation select(JdbcCursor cursor, SqlDialect dialect, Connection connection, String condition)
            throws SQLException {
        if (table.isPresent()) {
            return selectAll(cursor, dialect, connection, condition);
        }
        // The line end ends a comment at the end of the query. Some databases do not accept AS here.
        String relation = "(\n" + query + "\n) millrace_rows";
        run(cursor, "SELECT * FROM " + relation + condition, "the query");
        return new Relation(relation, TableSize.UNKNOWN);
    }

    /** Runs the query again with its nested columns converted, if it has such columns. */
    private void convertNested(JdbcCursor cursor, SqlDialect dialect) throws SQLException {
        Optional<String> converted = dialect.nestedAsJson(cursor.rows().getMetaData(), cursor.sql());
        if (converted.isPresent()) {
            try {
                cursor.runInstead(converted.get());
            } catch (SQLException e) {
                throw errors.querying("the arrays and rows", e);
            }
        }
    }

    private void run(JdbcCursor cursor, String sql, String what) {
        try {
            cursor.run(sql);
        } catch (SQLException e) {
            throw errors.querying(what, e);
        }
    }

    /**
     * Reads the table with the name that the user typed. Looks up the names of all tables only if the database does not
     * accept this name.
     */
    private Relation selectAll(JdbcCursor cursor, SqlDialect dialect, Connection connection, String condition)
            throws SQLException {
        String typed = table.orElseThrow();
        TableFinder name = new TableFinder(connection, typed);
        try {
            String quoted = name.quoted();
            TableSize size = TableSize.of(connection, dialect, quoted, typed.substring(typed.lastIndexOf('.') + 1));
            cursor.run("SELECT * FROM " + quoted + condition);
            return new Relation(quoted, size);
        } catch (SQLException e) {
            if (cursor.isCancelled() || JdbcErrors.isConnectionLost(e)) {
                throw errors.querying("table '" + typed + "'", e);
            }
            cursor.reset();
            List<TableFinder.Table> tables = name.all();
            List<TableFinder.Table> matches = name.matching(tables);
            if (matches.isEmpty()) {
                throw errors.unusable(
                        "%s has no table '%s'; %s.".formatted(url.name(), typed, TableFinder.summary(tables)));
            }
            if (matches.size() > 1) {
                throw errors.unusable("%s has several tables '%s': %s. Name the schema."
                        .formatted(url.name(), typed, TableFinder.qualifiedNames(matches)));
            }
            String found = name.quoted(matches.getFirst());
            TableSize size =
                    TableSize.of(connection, dialect, found, matches.getFirst().table());
            run(cursor, "SELECT * FROM " + found + condition, "table '" + typed + "'");
            return new Relation(found, size);
        }
    }

    private static void closeAfter(Exception failure, Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            failure.addSuppressed(e);
        }
    }
}
