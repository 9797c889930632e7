// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.TimeZone;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections that a data source lends. */
final class DataSourceTest {

    private static final JdbcOptions OPTIONS = JdbcOptions.defaults();
    private static final String ENDLESS = "SELECT generate_series(1, 100000000) AS i";
    private static final String SLEEPS_AT_3 =
            "SELECT i, CASE WHEN i = 3 THEN pg_sleep(600)::text END AS s FROM generate_series(1, 5) AS i";

    private static EmbeddedPostgres postgres;

    @BeforeAll
    static void startPostgres() throws IOException, SQLException {
        postgres = EmbeddedPostgres.start();
        Sql.run(
                url(""),
                "CREATE TABLE customer (id serial, at timestamptz)",
                "INSERT INTO customer (at) SELECT '2026-02-03 04:05:06+02' FROM generate_series(1, 3)",
                "CREATE SCHEMA app",
                "CREATE TYPE mood AS ENUM ('happy')",
                "CREATE DOMAIN positive AS int CHECK (VALUE > 0)");
    }

    @AfterAll
    static void stopPostgres() throws IOException {
        postgres.close();
    }

    /** Everything about a connection that a reader could change. */
    private record State(
            boolean autoCommit,
            boolean readOnly,
            int isolation,
            String schema,
            String catalog,
            int holdability,
            int fetchSize,
            String timeZone,
            String lostClientCheck,
            int serverProcess) {

        static State of(Connection connection) throws SQLException {
            State state = new State(
                    connection.getAutoCommit(),
                    connection.isReadOnly(),
                    connection.getTransactionIsolation(),
                    connection.getSchema(),
                    connection.getCatalog(),
                    connection.getHoldability(),
                    defaultFetchSize(connection),
                    value(connection, "SHOW TimeZone"),
                    value(connection, "SHOW client_connection_check_interval"),
                    Integer.parseInt(value(connection, "SELECT pg_backend_pid()")));
            if (!connection.getAutoCommit()) {
                connection.rollback();
            }
            return state;
        }
    }

    /** A reader that ends in some way. */
    interface Reading {
        void run(DataSource dataSource) throws Exception;
    }

    static Stream<Arguments> readings() {
        return Stream.of(
                reading("to the end", pool -> Rows.read(JdbcSource.ofTable(pool, "customer", OPTIONS))),
                reading("table in another case", pool -> Rows.read(JdbcSource.ofTable(pool, "CUSTOMER", OPTIONS))),
                reading("closed early", pool -> {
                    try (RowReader reader = query(pool, ENDLESS).open()) {
                        assertThat(reader.next(new Row())).isTrue();
                    }
                }),
                reading("invalid query", pool -> assertFails(query(pool, "SELECT nope"))),
                reading("missing table", pool -> assertFails(JdbcSource.ofTable(pool, "nope", OPTIONS))),
                reading(
                        "failed on the way",
                        pool -> assertFails(query(pool, "SELECT 1 / (5000 - i) FROM generate_series(1, 9000) AS i"))),
                reading("columns with equal names", pool -> assertFails(query(pool, "SELECT 1 AS a, 2 AS a"))),
                reading(
                        "query that changes the session",
                        pool -> Rows.read(query(pool, "SELECT set_config('search_path', 'app', false) AS p"))),
                reading("cancelled while the query runs", pool -> {
                    JdbcSource source = query(pool, "SELECT pg_sleep(600)");
                    assertThatThrownBy(() ->
                                    source.open(cancel -> Thread.ofPlatform().start(() -> {
                                        awaitSleeper();
                                        cancel.run();
                                    })))
                            .isInstanceOf(SourceException.class);
                }),
                reading(
                        "cancelled while rows are fetched",
                        pool -> CancelAssertions.assertCancelEndsReading(
                                JdbcSource.ofQuery(pool, SLEEPS_AT_3, OPTIONS.withFetchSize(1)), 2)),
                reading("cancelled between two rows", pool -> {
                    try (RowReader reader = query(pool, ENDLESS).open()) {
                        assertThat(reader.next(new Row())).isTrue();
                        Thread cancelling = Thread.ofPlatform().start(reader::cancel);
                        assertThat(catchThrowable(() -> Rows.rest(reader))).isInstanceOf(SourceException.class);
                        assertThat(cancelling.join(Duration.ofMinutes(1))).isTrue();
                    }
                }));
    }

    private static void assertFails(JdbcSource source) {
        assertThatThrownBy(() -> Rows.read(source)).isInstanceOf(SourceException.class);
    }

    private static Arguments reading(String name, Reading reading) {
        return Arguments.of(name, reading);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("readings")
    void connectionGoesBackAsItCame(String name, Reading reading) throws Exception {
        try (OneConnectionPool pool = new OneConnectionPool(url("?defaultRowFetchSize=7"))) {
            Sql.run(pool.physical(), "SET TIME ZONE 'Asia/Tokyo'");
            pool.physical().setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            State before = State.of(pool.physical());

            reading.run(pool);

            assertThat(pool.isComplete()).isTrue();
            assertThat(State.of(pool.physical())).isEqualTo(before);
            Sql.run(pool.physical(), "CREATE TEMPORARY TABLE writable (id int)");
        }
    }

    @Test
    void connectionWithoutAutomaticCommitGoesBackWithoutAutomaticCommit() throws SQLException {
        try (OneConnectionPool pool = new OneConnectionPool(url(""))) {
            pool.physical().setAutoCommit(false);
            pool.physical().setReadOnly(true);
            State before = State.of(pool.physical());

            Rows.read(query(pool, "SELECT 1 AS a"));

            assertThat(State.of(pool.physical())).isEqualTo(before);
        }
    }

    @Test
    void queryThatWritesIsRefused() throws SQLException {
        try (OneConnectionPool pool = new OneConnectionPool(url(""))) {
            assertThatThrownBy(() -> Rows.read(query(pool, "DELETE FROM customer RETURNING id")))
                    .isInstanceOf(SourceException.class)
                    .hasMessageContaining("read-only transaction");

            assertThat(value(pool.physical(), "SELECT count(*) FROM customer")).isEqualTo("3");
        }
    }

    @Test
    void closedReaderDoesNotTouchItsConnection() throws SQLException {
        try (OneConnectionPool pool = new OneConnectionPool(url(""))) {
            RowReader reader = query(pool, ENDLESS).open();
            reader.close();

            reader.cancel();
            reader.close();

            try (Connection next = pool.getConnection()) {
                assertThat(value(next, "SELECT 5")).isEqualTo("5");
                assertThat(pool.isComplete()).isFalse();
            }
        }
    }

    /** The driver uses a binary format for statements that it has prepared on the server. */
    @Test
    void valuesAreTheSameAsWithAUrlAlsoIfTheDriverPreparesStatements() throws SQLException {
        String properties = "?prepareThreshold=1&preferQueryMode=extendedCacheEverything";
        TimeZone here = TimeZone.getDefault();
        TimeZone.setDefault(TimeZone.getTimeZone("Asia/Tokyo"));
        try (OneConnectionPool pool = new OneConnectionPool(url(properties))) {
            for (int i = 0; i < 4; i++) {
                List<Rows.Read> rows = Rows.read(query(pool, PostgresSourceTest.EVERY_TYPE));

                assertThat(rows.getFirst().values()).containsExactlyElementsOf(PostgresSourceTest.EVERY_VALUE);
            }
            assertThat(Rows.values(Rows.read(JdbcSource.ofTable(pool, "Customer", OPTIONS))))
                    .contains(List.of("1", "2026-02-03T02:05:06Z"));
        } finally {
            TimeZone.setDefault(here);
        }
    }

    @Test
    void dataSourceThatForcesABinaryFormatIsRefused() throws SQLException {
        try (OneConnectionPool pool = new OneConnectionPool(url("?prepareThreshold=-1"))) {
            JdbcSource source = JdbcSource.ofTable(pool, "customer", OPTIONS).withName("orders");

            assertThatThrownBy(source::open)
                    .isInstanceOfSatisfying(
                            SourceException.class, e -> assertThat(e.kind()).isEqualTo(SourceException.Kind.UNUSABLE))
                    .hasMessage("cannot read orders: its driver sends values in a binary format."
                            + " Add binaryTransfer=false to the URL of the data source.");
            assertThat(pool.isComplete()).isTrue();
        }
    }

    @Test
    void connectionOfADatabaseThatDoesNotReactToACancellationIsAborted() throws Exception {
        try (OneConnectionPool pool = new OneConnectionPool(url(""))) {
            String pid = value(pool.physical(), "SELECT pg_backend_pid()");
            ReadTransaction transaction = new DataSourceConnector(pool).begin("orders", Optional.empty());
            JdbcCursor cursor = new JdbcCursor(transaction, 1, Duration.ofMillis(20));
            cursor.run(ENDLESS);
            assertThat(cursor.next()).isTrue();
            kill("-STOP", pid);
            try {
                Thread cancelling = Thread.ofPlatform().start(() -> {
                    awaitInDriver(cursor);
                    cursor.cancel();
                });

                assertThat(catchThrowable(cursor::next)).isInstanceOf(SQLException.class);

                assertThat(cancelling.join(Duration.ofMinutes(1))).isTrue();
            } finally {
                kill("-CONT", pid);
            }
            cursor.close();
            assertThat(pool.isComplete()).isTrue();
            assertThat(pool.physical().isClosed()).isTrue();
        }
    }

    private static void kill(String signal, String pid) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("kill", signal, pid).start().waitFor()).isZero();
    }

    private static void awaitInDriver(JdbcCursor cursor) {
        while (!cursor.isInDriver()) {
            Thread.onSpinWait();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdbc:h2:mem:lent", "jdbc:sqlite:FILE"})
    void otherDatabasesGetTheirConnectionsBackAsTheyCame(String url, @TempDir Path folder) throws Exception {
        try (OneConnectionPool pool = new OneConnectionPool(
                url.replace("FILE", folder.resolve("shop.db").toString()))) {
            Sql.run(pool.physical(), "CREATE TABLE customer (id INT, name VARCHAR(9))");
            Sql.run(pool.physical(), "INSERT INTO customer VALUES (1, 'Ada'), (2, NULL)");
            for (int i = 0; i < 2; i++) {
                assertThat(Rows.values(Rows.read(JdbcSource.ofTable(pool, "customer", OPTIONS))))
                        .containsExactly(List.of("1", "Ada"), List.of("2", Rows.NULL));
                assertThat(catchThrowable(() -> query(pool, "SELECT nope").open()))
                        .isInstanceOf(SourceException.class);
            }

            assertThat(pool.isComplete()).isTrue();
            assertThat(pool.physical().getAutoCommit()).isTrue();
            assertThat(pool.physical().isReadOnly()).isFalse();
            Sql.run(pool.physical(), "INSERT INTO customer VALUES (3, 'Grace')");
        }
    }

    @Test
    void poolWithoutAConnectionIsUnreachable() {
        DataSource busy = failing(new SQLTransientConnectionException("timed out after 30000ms"));
        DataSource wrapped = failing(new IllegalStateException("no pool", new SQLTransientConnectionException("down")));

        for (DataSource dataSource : List.of(busy, wrapped)) {
            assertThatThrownBy(() -> JdbcSource.ofTable(dataSource, "t", OPTIONS)
                            .withName("orders")
                            .open())
                    .isInstanceOfSatisfying(
                            SourceException.class,
                            e -> assertThat(e.kind()).isEqualTo(SourceException.Kind.UNREACHABLE))
                    .hasMessageStartingWith("cannot connect to orders (");
        }
    }

    @Test
    void loginInTheOptionsIsRefused() throws SQLException {
        try (OneConnectionPool pool = new OneConnectionPool(url(""))) {
            assertThatThrownBy(() -> JdbcSource.ofTable(pool, "t", OPTIONS.withPassword("hunter2")))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("the options of a data source contain a login or a driver: ")
                    .hasMessageNotContaining("hunter2");
        }
    }

    @Test
    void nameOfADataSourceIsOneLine() throws SQLException {
        try (OneConnectionPool pool = new OneConnectionPool(url(""))) {
            JdbcSource source = JdbcSource.ofTable(pool, "t", OPTIONS);

            assertThat(source.name()).isEqualTo("data source");
            assertThat(source.withName("orders").name()).isEqualTo("orders");
            assertThatThrownBy(() -> source.withName("a\nb")).hasMessageContaining("one line of text");
            assertThatThrownBy(() -> source.withName(" ")).hasMessageContaining("one line of text");
        }
    }

    @Test
    void textOfASourceTellsItsRows() throws SQLException {
        try (OneConnectionPool pool = new OneConnectionPool(url(""))) {
            JdbcSource table = JdbcSource.ofTable(pool, "t", OPTIONS);

            assertThat(table.withName("orders")).hasToString("JdbcSource[name=orders, table=t]");
            assertThat(query(pool, "SELECT 1;")).hasToString("JdbcSource[name=data source, query=SELECT 1]");
            assertThat(JdbcSource.ofTable("jdbc:postgresql://u:hunter2@h/d?password=hunter2", "t", OPTIONS)
                            .toString())
                    .endsWith("table=t]")
                    .doesNotContain("hunter2");
        }
    }

    private static DataSource failing(Exception failure) {
        return (DataSource) Proxy.newProxyInstance(
                DataSource.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    throw failure;
                });
    }

    private static JdbcSource query(DataSource pool, String sql) {
        return JdbcSource.ofQuery(pool, sql, OPTIONS);
    }

    private static String url(String properties) {
        return "jdbc:postgresql://localhost:" + postgres.getPort() + "/postgres" + properties
                + (properties.isEmpty() ? "?" : "&") + "user=postgres";
    }

    /** The fetch size of new statements. */
    private static int defaultFetchSize(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return statement.getFetchSize();
        }
    }

    private static String value(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        }
    }

    /** Waits until a statement sleeps. */
    private static void awaitSleeper() {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        try (Connection connection = postgres.getPostgresDatabase().getConnection()) {
            while (value(connection, "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'")
                    .equals("0")) {
                assertThat(System.nanoTime()).isLessThan(deadline);
                LockSupport.parkNanos(5_000_000);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
