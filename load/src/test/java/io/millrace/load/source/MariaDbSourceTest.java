// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.load.source.Row.Kind;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A real MariaDB server, read with the drivers of MariaDB and MySQL. Skipped if the server is not installed. */
final class MariaDbSourceTest {

    @TempDir
    private static Path folder;

    private static MariaDbServer server;

    @BeforeAll
    static void startServer() throws Exception {
        assumeTrue(MariaDbServer.isInstalled(), "MariaDB is not installed (apt-get install mariadb-server)");
        server = MariaDbServer.start(folder);
        try (Connection connection = connect()) {
            Sql.run(
                    connection,
                    "SET SESSION sql_mode = ''",
                    """
                    CREATE TABLE every (a TINYINT, b BIGINT UNSIGNED, c DECIMAL(10,2), d DOUBLE, e TINYINT(1), f TINYINT(1), g YEAR,
                      h DATE, i DATE, j DATETIME(3), k TIME, l JSON, m VARBINARY(4), n VARCHAR(20), o ENUM('x','y'), p INT, q BIT(1),
                      r FLOAT, s TINYINT UNSIGNED)
                    """,
                    """
                    INSERT INTO every VALUES (-7, 18446744073709551615, 199.50, 1e-7, 1, 5, 2026, '2026-02-03', '0000-00-00',
                      '2026-02-03 04:05:06.789', '04:05:06', '{"a": [1, 2]}', x'00ff', 'größe', 'y', NULL, b'1', 0.1, 255)
                    """,
                    "CREATE TABLE Customer (id INT, name TEXT)",
                    "INSERT INTO Customer VALUES (1, 'Ada'), (2, NULL), (3, '')");
        }
    }

    @AfterAll
    static void stopServer() {
        if (server != null) {
            server.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"mariadb", "mysql"})
    void everyColumnTypeIsReadInTheExpectedFormat(String driver) {
        Rows.Read row = Rows.read(query(driver, "SELECT * FROM every")).getFirst();

        assertThat(row.rejection()).isEmpty();
        assertThat(row.values())
                .containsExactly(
                        "-7",
                        "18446744073709551615",
                        "199.50",
                        "0.0000001",
                        "true",
                        "5",
                        "2026",
                        "2026-02-03",
                        Rows.NULL,
                        "2026-02-03T04:05:06.789",
                        "04:05:06",
                        "{\"a\": [1, 2]}",
                        "\0\uFFFD",
                        "größe",
                        "y",
                        Rows.NULL,
                        "true",
                        "0.1",
                        "255");
        assertThat(row.kinds().subList(0, 7))
                .containsExactly(
                        Kind.NUMBER, Kind.NUMBER, Kind.NUMBER, Kind.NUMBER, Kind.BOOLEAN, Kind.NUMBER, Kind.NUMBER);
        // In MariaDB, JSON is text with a check. Only the driver of MariaDB knows of the check.
        assertThat(row.kinds().get(11)).isEqualTo(driver.equals("mariadb") ? Kind.JSON : Kind.TEXT);
    }

    @ParameterizedTest
    @ValueSource(strings = {"mariadb", "mysql"})
    void tableIsFoundInAnyLetterCase(String driver) {
        JdbcSource source = JdbcSource.ofTable(server.url(driver, "shop"), "customer", options());

        assertThat(Rows.values(Rows.read(source)))
                .containsExactly(List.of("1", "Ada"), List.of("2", Rows.NULL), List.of("3", ""));
    }

    @ParameterizedTest
    @ValueSource(strings = {"mariadb", "mysql"})
    void tableIsReadWithSeveralConnections(String driver) {
        RowSource source = JdbcSource.ofTable(server.url(driver, "shop"), "customer", options())
                .partitioned("ID", 2);

        assertThat(Rows.values(Rows.read(source)))
                .containsExactlyInAnyOrder(List.of("1", "Ada"), List.of("2", Rows.NULL), List.of("3", ""));
    }

    /** The result is far larger than any memory, so the driver must neither collect the rows nor read them at the end. */
    @ParameterizedTest
    @ValueSource(strings = {"mariadb", "mysql"})
    void rowsAreStreamedAndTheRestIsNotRead(String driver) throws SQLException {
        Row row = new Row();
        try (RowReader reader =
                query(driver, "SELECT seq FROM seq_1_to_1000000000000").open()) {
            for (int i = 0; i < 10_000; i++) {
                assertThat(reader.next(row)).isTrue();
            }
            assertThat(row.text(0)).isEqualTo("10000");
        }

        awaitStatements(0, "seq_1_to_%");
    }

    @ParameterizedTest
    @ValueSource(strings = {"mariadb", "mysql"})
    void cancelEndsTheStatementOnTheServer(String driver) throws Exception {
        // The rows are larger than the buffer of the server, so the server sends them at once. The driver of MariaDB
        // first
        // reads as many rows as its fetch size.
        JdbcSource source = query(
                driver,
                "SELECT seq, REPEAT('x', 20000), IF(seq > " + (JdbcOptions.FETCH_SIZE.defaultValue() + 1)
                        + ", SLEEP(3600), 0) FROM seq_1_to_5000");

        CancelAssertions.assertCancelEndsReading(source, JdbcOptions.FETCH_SIZE.defaultValue());

        awaitStatements(0, "SLEEP(3600)%");
    }

    @ParameterizedTest
    @ValueSource(strings = {"mariadb", "mysql"})
    void cancelEndsTheOpening(String driver) throws Exception {
        JdbcSource source = query(driver, "SELECT SLEEP(3600)");
        AtomicReference<Runnable> cancel = new AtomicReference<>();
        CompletableFuture<RowReader> opening = CompletableFuture.supplyAsync(() -> source.open(cancel::set));
        awaitStatements(1, "SELECT SLEEP(3600)%");

        cancel.get().run();

        assertThat(opening)
                .failsWithin(Duration.ofMinutes(2))
                .withThrowableThat()
                .withCauseInstanceOf(SourceException.class);
        awaitStatements(0, "SELECT SLEEP(3600)%");
    }

    @ParameterizedTest
    @ValueSource(strings = {"mariadb", "mysql"})
    void connectionOfADataSourceGoesBackAsItCame(String driver) throws SQLException {
        JdbcOptions options = JdbcOptions.defaults();
        try (OneConnectionPool pool = pool(driver)) {
            assertThat(Rows.read(JdbcSource.ofTable(pool, "customer", options))).hasSize(3);
            SourceException failure = catchThrowableOfType(
                    SourceException.class,
                    () -> JdbcSource.ofQuery(pool, "SELECT nope", options).open());

            assertThat(failure).isNotNull();
            assertThat(pool.isComplete()).isTrue();
            assertThat(pool.physical().getAutoCommit()).isTrue();
            assertThat(pool.physical().isReadOnly()).isFalse();
            Sql.run(pool.physical(), "UPDATE Customer SET name = name");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"mariadb", "mysql"})
    void cancelEndsTheOpeningOfADataSource(String driver) throws Exception {
        try (OneConnectionPool pool = pool(driver)) {
            AtomicReference<Runnable> cancel = new AtomicReference<>();
            CompletableFuture<RowReader> opening = CompletableFuture.supplyAsync(
                    () -> JdbcSource.ofQuery(pool, "SELECT SLEEP(3600)", JdbcOptions.defaults())
                            .open(cancel::set));
            awaitStatements(1, "SELECT SLEEP(3600)%");

            cancel.get().run();

            assertThat(opening).failsWithin(Duration.ofMinutes(2));
            awaitStatements(0, "SELECT SLEEP(3600)%");
            assertThat(pool.isComplete()).isTrue();
            assertThat(pool.physical().isClosed()).isEqualTo(driver.equals("mysql"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"mariadb", "mysql"})
    void restOfADataSourceIsNotRead(String driver) throws SQLException {
        try (OneConnectionPool pool = pool(driver)) {
            String sql = "SELECT seq FROM seq_1_to_1000000000000";
            try (RowReader reader =
                    JdbcSource.ofQuery(pool, sql, JdbcOptions.defaults()).open()) {
                assertThat(reader.next(new Row())).isTrue();
            }

            awaitStatements(0, "seq_1_to_%");
            assertThat(pool.isComplete()).isTrue();
            assertThat(pool.physical().isClosed()).isEqualTo(driver.equals("mysql"));
        }
    }

    /** The driver needs another connection to cancel the statement. */
    @Test
    @Timeout(120)
    void restOfADataSourceIsNotReadIfItsUserMayHaveOnlyOneConnection() throws SQLException {
        try (OneConnectionPool pool =
                new OneConnectionPool(server.url("mariadb", "shop") + "?user=single&password=hunter2")) {
            String sql = "SELECT seq FROM seq_1_to_1000000000000";
            try (RowReader reader =
                    JdbcSource.ofQuery(pool, sql, JdbcOptions.defaults()).open()) {
                assertThat(reader.next(new Row())).isTrue();
            }

            awaitStatements(0, "seq_1_to_%");
            assertThat(pool.isComplete()).isTrue();
            assertThat(pool.physical().isClosed()).isTrue();
        }
    }

    private static OneConnectionPool pool(String driver) throws SQLException {
        return new OneConnectionPool(server.url(driver, "shop") + "?user=ada&password=hunter2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"mariadb", "mysql"})
    void statementThatWritesIsRefusedAndChangesNothing(String driver) {
        SourceException e = catchThrowableOfType(
                SourceException.class,
                () -> query(driver, "DELETE FROM Customer RETURNING id").open().close());

        assertThat(e).isNotNull();
        assertThat(Rows.read(query(driver, "SELECT * FROM Customer"))).hasSize(3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"mariadb", "mysql"})
    void wrongPasswordIsUnreachableAndMissingTableIsUnusable(String driver) {
        String url = server.url(driver, "shop");
        JdbcOptions wrong = JdbcOptions.defaults().withUser("ada").withPassword("s3cret!");

        SourceException refused = catchThrowableOfType(
                SourceException.class,
                () -> JdbcSource.ofTable(url, "Customer", wrong).open());
        SourceException missing = catchThrowableOfType(
                SourceException.class,
                () -> JdbcSource.ofTable(url, "Custmer", options()).open());

        assertThat(refused.kind()).isEqualTo(SourceException.Kind.UNREACHABLE);
        assertThat(refused).hasMessageNotContaining("s3cret!");
        assertThat(missing.kind()).isEqualTo(SourceException.Kind.UNUSABLE);
        assertThat(missing).hasMessageContaining("Customer, every");
    }

    private static JdbcSource query(String driver, String sql) {
        return JdbcSource.ofQuery(server.url(driver, "shop"), sql, options());
    }

    private static JdbcOptions options() {
        return JdbcOptions.defaults().withUser("ada").withPassword("hunter2");
    }

    private static Connection connect() throws SQLException {
        return DriverManager.getConnection(server.url("mariadb", "shop"), "ada", "hunter2");
    }

    /** Waits until {@code count} statements of {@code pattern} run. */
    private static void awaitStatements(int count, String pattern) throws SQLException {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            String sql =
                    "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID <> CONNECTION_ID() AND INFO LIKE '%"
                            + pattern + "'";
            while (true) {
                try (ResultSet rows = statement.executeQuery(sql)) {
                    rows.next();
                    if (rows.getInt(1) == count) {
                        return;
                    }
                }
                assertThat(System.nanoTime()).as("the statements end in time").isLessThan(deadline);
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
            }
        }
    }
}
