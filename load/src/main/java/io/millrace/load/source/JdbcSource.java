// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import io.millrace.load.source.SourceException.Kind;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.sql.DataSource;

/**
 * Rows of a table or a query, from any database with a JDBC driver on the class path, or in a file of {@link
 * JdbcOptions#drivers}; or from a {@link DataSource}, such as a connection pool.
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
 *
 * <p><b>Data sources.</b> Each reader borrows one connection, and gives it back when the reader is closed: with the same
 * auto-commit mode, read-only flag, isolation, schema and settings of its session, also after a failure or a cancellation.
 * The transaction is rolled back, so the data source must not give out the connection of a transaction that is in use. In
 * three cases a connection is aborted, and a pool replaces it: if the database does not react to a cancellation within 5
 * s; if a reader is closed before its last row and the driver of MySQL streams, because this driver would read all rows; and
 * if the driver of MariaDB does so and the database refuses the cancellation, which needs a further connection. The rows and
 * values are the same as with a URL, with these exceptions, because the properties of the connection are those
 * of the data source: DuckDB streams only with {@code jdbc_stream_results=true}, H2 only with {@code
 * LAZY_QUERY_EXECUTION=1}, and MySQL needs {@code zeroDateTimeBehavior=CONVERT_TO_NULL} for dates such as {@code
 * 0000-00-00}. PostgreSQL must not be forced to a binary format by a negative {@code prepareThreshold}; such a data source
 * is refused.
 */
public final class JdbcSource implements RowSource {

    /** The name of a data source that has no other name. */
    private static final String DATA_SOURCE = "data source";

    private static final Pattern ORDER_BY = Pattern.compile("\\border\\s+by\\b", Pattern.CASE_INSENSITIVE);

    private final JdbcConnector connector;
    private final String name;
    private final int fetchSize;
    private final Optional<String> table;
    private final String query;
    /** The state of the database that this source reads; empty for the state at its start. */
    private final Optional<String> snapshot;

    private JdbcSource(JdbcConnector connector, String name, int fetchSize, Optional<String> table, String query) {
        this(connector, name, fetchSize, table, query, Optional.empty());
    }

    private JdbcSource(
            JdbcConnector connector,
            String name,
            int fetchSize,
            Optional<String> table,
            String query,
            Optional<String> snapshot) {
        this.connector = connector;
        this.name = name;
        this.fetchSize = fetchSize;
        this.table = table;
        this.query = query.strip().replaceFirst("[;\\s]+$", "");
        this.snapshot = snapshot;
    }

    /**
     * All rows of a table or view.
     *
     * @param table name, or {@code schema.table}. The name is quoted in SQL. If there is no table with exactly this
     *     name, the source reads the table whose name differs only in letter case
     */
    public static JdbcSource ofTable(String url, String table, JdbcOptions options) {
        return of(url, options, Optional.of(table), "");
    }

    /** The rows that {@code query} returns. The query must be a single statement. */
    public static JdbcSource ofQuery(String url, String query, JdbcOptions options) {
        return of(url, options, Optional.empty(), query);
    }

    private static JdbcSource of(String url, JdbcOptions options, Optional<String> table, String query) {
        JdbcUrl parsed = JdbcUrl.of(url);
        return new JdbcSource(new DriverConnector(parsed, options), parsed.name(), options.fetchSize(), table, query);
    }

    /**
     * All rows of a table or view, over a connection of {@code dataSource}. The name of the source is {@code data
     * source}; see {@link #withName}.
     *
     * @param table name, or {@code schema.table}, as with a URL
     * @param options user, password and drivers are empty, because the data source has its own
     * @throws IllegalArgumentException if the options contain a user, a password or a driver
     */
    public static JdbcSource ofTable(DataSource dataSource, String table, JdbcOptions options) {
        return of(dataSource, options, Optional.of(table), "");
    }

    /**
     * The rows that {@code query} returns, over a connection of {@code dataSource}. The query must be a single statement.
     * The name of the source is {@code data source}; see {@link #withName}.
     *
     * @param options user, password and drivers are empty, because the data source has its own
     * @throws IllegalArgumentException if the options contain a user, a password or a driver
     */
    public static JdbcSource ofQuery(DataSource dataSource, String query, JdbcOptions options) {
        return of(dataSource, options, Optional.empty(), query);
    }

    private static JdbcSource of(DataSource dataSource, JdbcOptions options, Optional<String> table, String query) {
        if (options.user().isPresent()
                || options.password().isPresent()
                || !options.drivers().isEmpty()) {
            throw new IllegalArgumentException("the options of a data source contain a login or a driver: " + options
                    + ". Set them in the data source.");
        }
        return new JdbcSource(
                new DataSourceConnector(Objects.requireNonNull(dataSource, "dataSource")),
                DATA_SOURCE,
                options.fetchSize(),
                table,
                query);
    }

    /**
     * This source with another name in reports, messages and the rejects file, such as the name of its data source.
     *
     * @param newName one line of text without secrets
     * @throws IllegalArgumentException if the name is blank, or has more than one line
     */
    public JdbcSource withName(String newName) {
        if (newName.isBlank() || newName.lines().count() != 1) {
            throw new IllegalArgumentException("the name of a source must be one line of text: name='" + newName + "'");
        }
        return new JdbcSource(connector, newName, fetchSize, table, query, snapshot);
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
     * <p>From a data source, the source borrows one connection more than there are readers, until all readers have started.
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
        return name;
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

    /** Stable if the query contains ORDER BY. A database may read a table in another order each time. */
    @Override
    public RowOrder order() {
        return table.isEmpty() && ORDER_BY.matcher(query).find() ? RowOrder.STABLE : RowOrder.AS_READ;
    }

    /** The name, and the table or the query. Two sources with the same text read the same rows of the same database. */
    @Override
    public String toString() {
        return "JdbcSource[name=" + name + ", "
                + table.map(value -> "table=" + value).orElse("query=" + query) + "]";
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
        ReadTransaction transaction = begin();
        JdbcCursor cursor;
        try {
            cursor = cursor(transaction);
        } catch (SQLException | RuntimeException e) {
            transaction.end(true);
            throw transaction.errors().connecting(e);
        }
        listener.opening(cursor::cancel);
        try {
            return query(transaction, cursor);
        } catch (SQLException | RuntimeException e) {
            cursor.close();
            throw e instanceof SourceException failure
                    ? failure
                    : transaction.errors().connecting(e);
        }
    }

    /** Opens or borrows a connection, and begins a transaction. Blocks. */
    ReadTransaction begin() {
        return connector.begin(name, snapshot);
    }

    /** The rows of {@code relation} that satisfy {@code condition}. */
    JdbcSource part(Relation relation, String condition, Optional<String> ofSnapshot) {
        return new JdbcSource(
                connector,
                name,
                fetchSize,
                Optional.empty(),
                "SELECT * FROM " + relation.sql() + " WHERE " + condition,
                ofSnapshot);
    }

    private JdbcCursor cursor(ReadTransaction transaction) throws SQLException {
        String driver = transaction.connection().getMetaData().getDriverName();
        return new JdbcCursor(transaction, transaction.dialect().fetchSize(driver, transaction.url(), fetchSize));
    }

    private RowReader query(ReadTransaction transaction, JdbcCursor cursor) throws SQLException {
        TableSize size = TableSize.UNKNOWN;
        if (table.isPresent()) {
            size = selectAll(cursor, transaction, "").size();
        } else {
            run(cursor, transaction, query, "the query");
        }
        convertNested(cursor, transaction);
        if (transaction.dialect().hasUnreadableFormat(cursor.rows().getMetaData())) {
            throw transaction
                    .errors()
                    .unusable(
                            "cannot read %s: its driver sends values in a binary format. Add binaryTransfer=false to the"
                                            .formatted(name)
                                    + " URL of the data source.");
        }
        return JdbcRowReader.over(cursor, transaction, name, size);
    }

    /**
     * A table or a query, after FROM.
     *
     * @param sql quoted name, or a query in parentheses
     */
    record Relation(String sql, TableSize size) {}

    /** Runs the query of this source with {@code condition}. */
    Relation select(JdbcCursor cursor, ReadTransaction transaction, String condition) throws SQLException {
        if (table.isPresent()) {
            return selectAll(cursor, transaction, condition);
        }
        // The line end ends a comment at the end of the query. Some databases do not accept AS here.
        String relation = "(\n" + query + "\n) millrace_rows";
        run(cursor, transaction, "SELECT * FROM " + relation + condition, "the query");
        return new Relation(relation, TableSize.UNKNOWN);
    }

    /** Runs the query again with its nested columns converted, if it has such columns. */
    private static void convertNested(JdbcCursor cursor, ReadTransaction transaction) throws SQLException {
        ResultSetMetaData meta = cursor.rows().getMetaData();
        Optional<String> converted = transaction.dialect().nestedAsJson(meta, cursor.sql());
        if (converted.isPresent()) {
            try {
                cursor.runInstead(converted.get());
            } catch (SQLException e) {
                throw transaction.errors().querying("the arrays and rows", e);
            }
        }
    }

    private static void run(JdbcCursor cursor, ReadTransaction transaction, String sql, String what) {
        try {
            cursor.run(sql);
        } catch (SQLException e) {
            throw transaction.errors().querying(what, e);
        }
    }

    /**
     * Reads the table with the name that the user typed. Looks up the names of all tables only if the database does not
     * accept this name.
     */
    private Relation selectAll(JdbcCursor cursor, ReadTransaction transaction, String condition) throws SQLException {
        String typed = table.orElseThrow();
        JdbcErrors errors = transaction.errors();
        TableFinder finder = new TableFinder(transaction.connection(), typed);
        try {
            String quoted = finder.quoted();
            TableSize size = TableSize.of(transaction, quoted, typed.substring(typed.lastIndexOf('.') + 1));
            cursor.run("SELECT * FROM " + quoted + condition);
            return new Relation(quoted, size);
        } catch (SQLException e) {
            if (cursor.isCancelled() || JdbcErrors.isConnectionLost(e)) {
                throw errors.querying("table '" + typed + "'", e);
            }
            cursor.reset();
            List<TableFinder.Table> tables = finder.all();
            List<TableFinder.Table> matches = finder.matching(tables);
            if (matches.isEmpty()) {
                throw errors.unusable("%s has no table '%s'; %s.".formatted(name, typed, TableFinder.summary(tables)));
            }
            if (matches.size() > 1) {
                throw errors.unusable("%s has several tables '%s': %s. Name the schema."
                        .formatted(name, typed, TableFinder.qualifiedNames(matches)));
            }
            String found = finder.quoted(matches.getFirst());
            TableSize size = TableSize.of(transaction, found, matches.getFirst().table());
            run(cursor, transaction, "SELECT * FROM " + found + condition, "table '" + typed + "'");
            return new Relation(found, size);
        }
    }
}
