// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.load.source.SourceException.Kind;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests the reading with several connections with PostgreSQL, whose functions can wait in a row. */
final class PartitionedPostgresTest {

    /** A small fetch size, so that the database computes few rows before the first one is delivered. */
    private static final JdbcOptions FETCH_ONE = JdbcOptions.defaults().withFetchSize(1);

    private static EmbeddedPostgres postgres;
    private static Connection connection;

    @BeforeAll
    static void startPostgres() throws IOException, SQLException {
        postgres = EmbeddedPostgres.start();
        connection = postgres.getPostgresDatabase().getConnection();
        // A call locks (7, process), and returns as soon as somebody has locked (8, 0).
        Sql.run(connection, """
                CREATE FUNCTION wait_for_go(id int) RETURNS int LANGUAGE plpgsql AS $$
                BEGIN
                  PERFORM pg_advisory_lock(7, pg_backend_pid());
                  WHILE NOT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND classid = 8) LOOP
                    PERFORM pg_sleep(0.01);
                  END LOOP;
                  RETURN id;
                END $$
                """);
    }

    @AfterAll
    static void stopPostgres() throws IOException, SQLException {
        connection.close();
        postgres.close();
    }

    private static String url() {
        return postgres.getJdbcUrl("postgres", "postgres");
    }

    private static JdbcSource query(String sql) {
        return JdbcSource.ofQuery(url(), sql, FETCH_ONE);
    }

    @Test
    void slowRowsOfAllPartsAreComputedAtTheSameTime() throws Exception {
        RowSource source = query("SELECT id, wait_for_go(id) AS slow FROM generate_series(1, 40) AS id")
                .partitioned("id", 1, 40, 4);

        CompletableFuture<List<Rows.Read>> reading = CompletableFuture.supplyAsync(() -> Rows.read(source));
        awaitWaiting(4);
        Sql.run(connection, "SELECT pg_advisory_lock(8, 0)");

        assertThat(reading.get(100, TimeUnit.SECONDS)).hasSize(40);
        Sql.run(connection, "SELECT pg_advisory_unlock(8, 0)");
    }

    @Test
    void openingOfPartsThatComputeTheirFirstRowCanBeCancelled() throws Exception {
        RowSource source = query("SELECT id, wait_for_go(id) AS slow FROM generate_series(1, 10) AS id")
                .partitioned("id", 1, 10, 2);
        AtomicInteger actions = new AtomicInteger();
        CompletableFuture<Runnable> cancel = new CompletableFuture<>();

        // The first action cancels the question for the columns, the second one cancels the parts.
        CompletableFuture<RowReader> opening = CompletableFuture.supplyAsync(() -> source.open(action -> {
            if (actions.incrementAndGet() == 2) {
                cancel.complete(action);
            }
        }));
        awaitWaiting(2);
        cancel.get(100, TimeUnit.SECONDS).run();

        assertThat(opening)
                .failsWithin(100, TimeUnit.SECONDS)
                .withThrowableThat()
                .havingRootCause()
                .withMessageContaining("cancelled");
    }

    private static void awaitWaiting(int sessions) throws SQLException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(100);
        while (number("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid = 7") < sessions) {
            assertThat(System.nanoTime()).as("sessions wait in a row").isLessThan(deadline);
            LockSupport.parkNanos(10_000_000);
        }
    }

    private static long number(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        }
    }

    @Test
    void allConnectionsSeeTheSameState() throws SQLException {
        Sql.run(connection, "CREATE TABLE moving AS SELECT id, ARRAY[id] AS ids FROM generate_series(1, 3000) AS id");
        RowSource source =
                JdbcSource.ofTable(url(), "moving", FETCH_ONE.withFetchSize(10)).partitioned("ID", 3);

        try (RowReader reader = source.open()) {
            Sql.run(connection, "UPDATE moving SET id = 3001 - id", "INSERT INTO moving VALUES (5000, NULL)");
            List<Rows.Read> rows = Rows.rest(reader);

            assertThat(rows)
                    .hasSize(3000)
                    .allSatisfy(row -> assertThat(row.values().get(1))
                            .isEqualTo("[" + row.values().getFirst() + "]"));
            assertThat(rows.stream().map(row -> row.values().getFirst()).distinct())
                    .hasSize(3000);
        }
    }

    @Test
    void partSeesTheExportedSnapshot() throws SQLException {
        Sql.run(connection, "CREATE TABLE late (id int)");
        try (Connection exporting = postgres.getPostgresDatabase().getConnection()) {
            exporting.setAutoCommit(false);

            Optional<String> snapshot = SqlDialect.POSTGRESQL.exportSnapshot(exporting);
            Sql.run(connection, "INSERT INTO late VALUES (1)");

            assertThat(snapshot).isPresent();
            assertThat(Rows.read(partOfLate(snapshot))).isEmpty();
            assertThat(Rows.read(partOfLate(Optional.empty()))).hasSize(1);
        }
    }

    private static JdbcSource partOfLate(Optional<String> snapshot) {
        JdbcSource.Relation late = new JdbcSource.Relation("late", TableSize.UNKNOWN);
        return JdbcSource.ofTable(url(), "late", FETCH_ONE).part(late, "1 = 1", snapshot);
    }

    @Test
    void rowsAreDeliveredWhileAnotherPartWaitsAndTheWaitCanBeCancelled() throws Exception {
        String sql = "SELECT i, CASE WHEN i = 5 THEN pg_sleep(600)::text END AS s FROM generate_series(1, 10) AS i";

        CancelAssertions.assertCancelEndsReading(query(sql).partitioned("i", 1, 10, 2), 9);
    }

    @Test
    void failureOfOnePartIsReportedAfterTheRowsThatWereRead() {
        RowSource source = query("SELECT id, 10 / (id - 900) AS q FROM generate_series(1, 1000) AS id")
                .partitioned("id", 1, 1000, 2);
        Row row = new Row();

        try (RowReader reader = source.open()) {
            SourceException failure = Assertions.catchThrowableOfType(SourceException.class, () -> {
                while (reader.next(row)) {
                    assertThat(row.text(0)).isNotEqualTo("900");
                }
            });

            assertThat(failure.kind()).isEqualTo(Kind.BROKEN);
            assertThat(failure).hasMessageContaining("division by zero");
        }
    }
}
