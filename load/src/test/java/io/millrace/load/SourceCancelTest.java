// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.load.LoadReport.Ending;
import io.millrace.load.source.JdbcOptions;
import io.millrace.load.source.JdbcSource;
import io.millrace.load.source.RowSource;
import io.millrace.load.target.HashTarget;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Stops of loads whose database is slow. */
class SourceCancelTest {

    private static EmbeddedPostgres postgres;
    private static TestRedis redis;

    @BeforeAll
    static void start() throws IOException {
        postgres = EmbeddedPostgres.start();
        redis = TestRedis.start();
    }

    @AfterAll
    static void end() throws IOException {
        redis.close();
        postgres.close();
    }

    /** The first query returns no row for an hour, and the second query only its first rows. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT 1 AS id, pg_sleep(3600)::text AS slept",
                "SELECT id, pg_sleep(CASE WHEN id > 2000 THEN 3600 ELSE 0 END)::text AS slept FROM"
                        + " generate_series(1, 3000) AS id",
            })
    void stopCancelsTheStatementOnTheDatabaseServer(String query) throws SQLException {
        Loader loader = new Loader(redis.options());
        LoadPlan plan = new LoadPlan(source(query), HashTarget.of("c:{id}"), LoadOptions.defaults());
        CompletableFuture<LoadReport> report = CompletableFuture.supplyAsync(() -> loader.run(plan, event -> {}));
        awaitSleepers(1);

        loader.stop();

        assertThat(report.join().ending()).isEqualTo(new Ending.Interrupted());
        assertThat(report.join().rows().read()).isEqualTo(report.join().rows().written());
        awaitSleepers(0);
    }

    @Test
    void stopDuringTheVerificationCancelsTheStatement() throws SQLException {
        Loader loader = new Loader(redis.options());
        RowSource slowAgain = TestRows.before(
                source("SELECT 1 AS id, pg_sleep(current_setting('millrace.seconds')::int)::text AS slept"),
                opening -> opening == 2,
                () -> seconds("3600"));
        seconds("0");
        LoadOptions options =
                LoadOptions.builder().verify(LoadOptions.Verification.FULL).build();
        CompletableFuture<LoadReport> report = CompletableFuture.supplyAsync(
                () -> loader.run(new LoadPlan(slowAgain, HashTarget.of("c:{id}"), options), event -> {}));
        awaitSleepers(1);

        loader.stop();

        assertThat(report.join().ending()).isEqualTo(new Ending.Interrupted());
        assertThat(report.join().rows().written()).isEqualTo(1);
        awaitSleepers(0);
    }

    private static void seconds(String value) {
        try (Connection connection = postgres.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("ALTER DATABASE postgres SET millrace.seconds = '" + value + "'");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static RowSource source(String query) {
        return JdbcSource.ofQuery(
                "jdbc:postgresql://localhost:" + postgres.getPort() + "/postgres",
                query,
                JdbcOptions.defaults().withUser("postgres"));
    }

    /** Waits until {@code count} statements sleep. */
    private static void awaitSleepers(int count) throws SQLException {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
        try (Connection connection = postgres.getPostgresDatabase().getConnection()) {
            while (sleepers(connection) != count) {
                assertThat(System.nanoTime()).as("the statements end in time").isLessThan(deadline);
                LockSupport.parkNanos(5_000_000);
            }
        }
    }

    private static int sleepers(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT count(*) FROM pg_stat_activity WHERE state = 'active'"
                        + " AND wait_event = 'PgSleep'")) {
            rows.next();
            return rows.getInt(1);
        }
    }
}
