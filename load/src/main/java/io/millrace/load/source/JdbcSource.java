// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import io.millrace.load.source.SourceException.Kind;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Collectors;

/**
 * Rows of a table or a query of any database that has a JDBC driver on the class path.
 *
 * <p>Read in one transaction that changes nothing, and streamed: at most {@link JdbcOptions#fetchSize} rows are in memory at
 * once, for PostgreSQL, MySQL, MariaDB, SQLite and H2. Other drivers are asked for the same and may have their own ways.
 *
 * <p>Values: numbers plain, without exponent; {@code true} and {@code false}; dates and times in ISO 8601, always with
 * seconds. A timestamp with a time zone is an instant and is written in UTC, {@code 2026-11-21T12:00:00Z}. A timestamp
 * without one is written without one, {@code 2026-11-21T12:00:00}, since an offset would claim what the database does not know. Binary values are
 * raw bytes. NaN and infinities are text. Everything else (UUID, JSON, arrays, enums) is text as the driver gives it.
 * SQLite has no dates and no booleans: what is stored is what comes. A value that the driver cannot give rejects its row.
 *
 * <p>URLs that would load classes, read other files, run SQL or hand on to another driver are refused.
 */
public final class JdbcSource implements RowSource {

    private final JdbcUrl url;
    private final JdbcOptions options;
    private final Optional<String> table;
    private final String query;
    private final JdbcErrors errors;

    private JdbcSource(String url, Optional<String> table, String query, JdbcOptions options) {
        this.url = JdbcUrl.of(url);
        this.options = options;
        this.table = table;
        this.query = query.strip().replaceFirst("[;\\s]+$", "");
        List<String> secrets = new ArrayList<>(this.url.secrets());
        options.password().ifPresent(secrets::add);
        this.errors = new JdbcErrors(this.url.name(), secrets);
    }

    /**
     * All rows of a table or view.
     *
     * @param table its name, or {@code schema.table}; quoted for the database, and if there is no such table but one whose name
     *     differs in case only, that is meant
     */
    public static JdbcSource ofTable(String url, String table, JdbcOptions options) {
        return new JdbcSource(url, Optional.of(table), "", options);
    }

    /** The rows that {@code query} gives, one statement. */
    public static JdbcSource ofQuery(String url, String query, JdbcOptions options) {
        return new JdbcSource(url, Optional.empty(), query, options);
    }

    @Override
    public String name() {
        return url.name();
    }

    @Override
    public boolean readableAgain() {
        return true;
    }

    /**
     * Connects and starts the query. Blocks for as long as the database takes.
     *
     * @throws SourceException {@link Kind#UNREACHABLE} if the database is away or does not let us in, {@link Kind#UNUSABLE} if
     *     there is no driver for it, no such table, or the query is not one
     */
    @Override
    public RowReader open() {
        JdbcUrlRules.refusal(url.text()).ifPresent(why -> {
            throw errors.unusable("cannot use %s: %s.".formatted(url.name(), why));
        });
        SqlDialect dialect = SqlDialect.of(url);
        Connection connection = connect(dialect);
        try {
            dialect.prepare(connection);
            return query(dialect, connection);
        } catch (SQLException | RuntimeException e) {
            closeAfter(e, connection);
            throw e instanceof SourceException known ? known : errors.connecting(e);
        }
    }

    private Connection connect(SqlDialect dialect) {
        String target = dialect.urlFor(url);
        Properties properties = new Properties();
        // What the URL names among its properties the driver takes from there; some refuse to be told twice.
        if (!url.namesUser()) {
            url.user().or(options::user).ifPresent(user -> properties.setProperty("user", user));
        }
        if (!url.namesPassword()) {
            url.password().or(options::password).ifPresent(secret -> properties.setProperty("password", secret));
        }
        dialect.complete(properties);
        try {
            for (Driver driver : DriverManager.drivers().toList()) {
                Connection connection = driver.acceptsURL(target) ? driver.connect(target, properties) : null;
                if (connection != null) {
                    return connection;
                }
            }
        } catch (SQLException | RuntimeException e) {
            throw errors.connecting(e);
        }
        throw noDriver();
    }

    private SourceException noDriver() {
        List<String> drivers = DriverManager.drivers()
                .map(driver -> driver.getClass().getName())
                .sorted()
                .distinct()
                .toList();
        String scheme = url.scheme();
        for (String driver : drivers) {
            if (driver.toLowerCase(Locale.ROOT).contains("." + scheme + ".")) {
                return errors.unusable(
                        "cannot use %s: its driver %s cannot make sense of it. Check host, port and database."
                                .formatted(url.name(), driver));
            }
        }
        return errors.unusable("cannot use %s: there is no driver for jdbc:%s:. There are: %s."
                .formatted(url.name(), scheme, drivers.stream().collect(Collectors.joining(", "))));
    }

    private RowReader query(SqlDialect dialect, Connection connection) throws SQLException {
        int fetchSize = dialect.fetchSize(connection.getMetaData().getDriverName(), url, options.fetchSize());
        JdbcCursor cursor = new JdbcCursor(connection, fetchSize);
        TableSize size = TableSize.UNKNOWN;
        if (table.isPresent()) {
            size = selectAll(cursor, dialect, connection);
        } else {
            run(cursor, query, "the query");
        }
        return JdbcRowReader.over(cursor, dialect, url.name(), errors, size);
    }

    private void run(JdbcCursor cursor, String sql, String what) {
        try {
            cursor.run(sql);
        } catch (SQLException e) {
            throw errors.querying(what, e);
        }
    }

    /** Reads the table as it was typed; asks what tables there are only if that fails. */
    private TableSize selectAll(JdbcCursor cursor, SqlDialect dialect, Connection connection) throws SQLException {
        String typed = table.orElseThrow();
        TableName name = new TableName(connection, typed);
        try {
            String quoted = name.quoted();
            TableSize size = TableSize.of(connection, dialect, quoted, typed.substring(typed.lastIndexOf('.') + 1));
            cursor.run("SELECT * FROM " + quoted);
            return size;
        } catch (SQLException e) {
            if (JdbcErrors.isConnectionLost(e)) {
                throw errors.querying("table '" + typed + "'", e);
            }
            cursor.reset();
            List<TableName.Found> tables = name.all();
            List<TableName.Found> meant = name.meant(tables);
            if (meant.isEmpty()) {
                throw errors.unusable("%s has no table '%s'; %s.".formatted(url.name(), typed, TableName.some(tables)));
            }
            if (meant.size() > 1) {
                throw errors.unusable("%s has several tables '%s': %s. Name the schema."
                        .formatted(url.name(), typed, TableName.full(meant)));
            }
            String found = name.quoted(meant.getFirst());
            TableSize size =
                    TableSize.of(connection, dialect, found, meant.getFirst().table());
            run(cursor, "SELECT * FROM " + found, "table '" + typed + "'");
            return size;
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
