// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.load.source.Row.Kind;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.TimeZone;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

final class PostgresSourceTest {

    static final String EVERY_TYPE = """
            SELECT 7::int2 a1, -7::int4 a2, 9223372036854775807::int8 a3, 199.50::numeric a4, 1e22::numeric a5,
              1e-7::float8 b1, 0.1::float4 b2, 20::float8 b3, 1.5e300::float8 = 1.5e300 b4, 'NaN'::float8 b5,
              'NaN'::numeric b6, '-Infinity'::float4 b7, '-0'::float8 b8, true c1, false c2,
              date '2026-02-03' d1, time '04:05:00' d2, timestamp '2026-02-03 04:05:00' d3,
              timestamp '2026-02-03 04:05:06.789' d4, timestamptz '2026-02-03 04:05:06.5+02' d5, timetz '04:05:06+02' d6,
              timetz '04:05:06+05:30' d7, timestamp 'infinity' d8, timestamptz '-infinity' d9,
              timestamp '10000-01-01 00:00:00' d10, date '0044-03-15 BC' d11, timestamptz '0044-03-15 00:00:00+00 BC' d12,
              '\\x00ff'::bytea e1, '123e4567-e89b-12d3-a456-426614174000'::uuid e2, '{"a":1}'::jsonb e3, '{"b":  2}'::json e4,
              ARRAY[1,2] e5, ARRAY['a','b c'] e6, 'größe'::text f1, ''::varchar f2, 'ab'::char(3) f3, 'x'::name f4,
              'happy'::mood f5, '10.0.0.1'::inet f6, interval '1 day' f7, 5::positive f8, B'101'::bit(3) f9
            """;
    static final List<String> EVERY_VALUE = List.of(
            "7",
            "-7",
            "9223372036854775807",
            "199.50",
            "10000000000000000000000",
            "0.0000001",
            "0.1",
            "20",
            "true",
            "NaN",
            "NaN",
            "-Infinity",
            "0",
            "true",
            "false",
            "2026-02-03",
            "04:05:00",
            "2026-02-03T04:05:00",
            "2026-02-03T04:05:06.789",
            "2026-02-03T02:05:06.5Z",
            "04:05:06+02:00",
            "04:05:06+05:30",
            "infinity",
            "-infinity",
            "10000-01-01T00:00:00",
            "0044-03-15 BC",
            "0044-03-15 00:00:00+00 BC",
            "\0\uFFFD",
            "123e4567-e89b-12d3-a456-426614174000",
            "{\"a\": 1}",
            "{\"b\":  2}",
            "[1,2]",
            "[\"a\",\"b c\"]",
            "größe",
            "",
            "ab ",
            "x",
            "happy",
            "10.0.0.1",
            "1 day",
            "5",
            "101");

    private static EmbeddedPostgres postgres;

    @BeforeAll
    static void startPostgres() throws IOException, SQLException {
        postgres = EmbeddedPostgres.start();
        try (Connection connection = postgres.getPostgresDatabase().getConnection()) {
            Sql.run(
                    connection,
                    "CREATE TYPE mood AS ENUM ('happy')",
                    "CREATE DOMAIN positive AS int CHECK (VALUE > 0)",
                    "CREATE SCHEMA app",
                    "CREATE TABLE app.customer (id serial, name text)",
                    "INSERT INTO app.customer (name) VALUES ('Ada'), (NULL), ('')",
                    "CREATE TABLE \"Odd\"\"One\" (id int)",
                    "CREATE ROLE ada LOGIN PASSWORD 'hunter2'");
        }
    }

    @AfterAll
    static void stopPostgres() throws IOException {
        postgres.close();
    }

    @Test
    void arraysAndRowsAreJsonValues() {
        Rows.Read row = Rows.read(query("""
                SELECT '{"a": 1}'::jsonb a, '[1]'::json b, ARRAY[[1,2],[3,NULL]] c, ARRAY[true] d,
                  ARRAY['2026-02-03 04:05:06.5+02'::timestamptz] e, c.customer f, NULL::int[] g, ARRAY[]::text[] h
                FROM (SELECT customer FROM app.customer WHERE id = 1) c -- the last line
                """)).getFirst();

        assertThat(row.values())
                .containsExactly(
                        "{\"a\": 1}",
                        "[1]",
                        "[[1,2],[3,null]]",
                        "[true]",
                        "[\"2026-02-03T02:05:06.5+00:00\"]",
                        "{\"id\":1,\"name\":\"Ada\"}",
                        Rows.NULL,
                        "[]");
        assertThat(row.kinds().subList(0, 6)).containsOnly(Kind.JSON);
    }

    @Test
    void everyColumnTypeIsReadInTheExpectedFormat() {
        Rows.Read row = Rows.read(query(EVERY_TYPE)).getFirst();

        assertThat(row.values()).containsExactlyElementsOf(EVERY_VALUE);
        assertThat(row.kinds().subList(0, 15))
                .containsExactly(
                        Kind.NUMBER,
                        Kind.NUMBER,
                        Kind.NUMBER,
                        Kind.NUMBER,
                        Kind.NUMBER,
                        Kind.NUMBER,
                        Kind.NUMBER,
                        Kind.NUMBER,
                        Kind.BOOLEAN,
                        Kind.TEXT,
                        Kind.TEXT,
                        Kind.TEXT,
                        Kind.NUMBER,
                        Kind.BOOLEAN,
                        Kind.BOOLEAN);
        assertThat(row.kinds().get(27)).isEqualTo(Kind.BYTES);
        assertThat(row.kinds().get(40)).isEqualTo(Kind.NUMBER);
        assertThat(row.rejection()).isEmpty();
    }

    @Test
    void valuesAreSentAsTextEvenIfTheUrlRequestsBinaryFormat() {
        for (String properties : List.of(
                "prepareThreshold=-1",
                "prepareThreshold=-1&binaryTransfer=true",
                "binaryTransferEnable=INT4,INT8,FLOAT8,UUID&prepareThreshold=-1")) {
            JdbcSource source = JdbcSource.ofQuery(url() + "&" + properties, EVERY_TYPE, JdbcOptions.defaults());

            assertThat(Rows.read(source).getFirst().values()).as(properties).containsExactlyElementsOf(EVERY_VALUE);
        }
    }

    @Test
    void rowWhoseValuesAreAllNullIsRead() {
        String nulls =
                "SELECT null::int4, null::numeric, null::float8, null::bool, null::timestamp, null::timestamptz, null::timetz,"
                        + " null::bytea, null::text, null::date";
        StringBuilder named = new StringBuilder();
        for (int i = 0; i < 10; i++) {
            named.append(i == 0 ? "" : ", ").append('c').append(i);
        }

        List<Rows.Read> rows = Rows.read(query("SELECT * FROM (" + nulls + ") AS t(" + named + ")"));

        assertThat(rows.getFirst().values()).hasSize(10).containsOnly(Rows.NULL);
    }

    @Test
    void tableIsFoundWithItsSchemaAndInAnyLetterCase() {
        assertThat(Rows.values(Rows.read(table("app.customer"))))
                .containsExactly(List.of("1", "Ada"), List.of("2", Rows.NULL), List.of("3", ""));
        assertThat(Rows.read(table("customer"))).hasSize(3);
        assertThat(Rows.read(table("APP.Customer"))).hasSize(3);
        assertThat(Rows.read(table("Odd\"One"))).isEmpty();
        assertThatThrownBy(() -> table("nope").open())
                .hasMessageMatching(
                        "jdbc:postgresql://localhost:\\d+/postgres has no table 'nope'; there are: customer, Odd\"One\\.");
    }

    @Test
    void textOfAnInstantDoesNotDependOnTheTimeZone() throws SQLException {
        try (Connection connection = postgres.getPostgresDatabase().getConnection()) {
            Sql.run(
                    connection,
                    "CREATE TABLE \"Visit\" (at timestamptz)",
                    "INSERT INTO \"Visit\" VALUES ('2026-02-03 04:05:06+02')");
        }
        TimeZone here = TimeZone.getDefault();
        TimeZone.setDefault(TimeZone.getTimeZone("Asia/Tokyo"));
        try {
            assertThat(Rows.values(Rows.read(table("Visit")))).containsExactly(List.of("2026-02-03T02:05:06Z"));
            assertThat(Rows.values(Rows.read(table("visit")))).containsExactly(List.of("2026-02-03T02:05:06Z"));
        } finally {
            TimeZone.setDefault(here);
            try (Connection connection = postgres.getPostgresDatabase().getConnection()) {
                Sql.run(connection, "DROP TABLE \"Visit\"");
            }
        }
    }

    @Test
    void resultLargerThanTheHeapIsStreamed() {
        Row row = new Row();
        String sql = "SELECT i, repeat('x', 1000) AS t FROM (SELECT generate_series(1, 100000000) AS i) AS s";
        Runtime runtime = Runtime.getRuntime();
        runtime.gc();
        long before = runtime.totalMemory() - runtime.freeMemory();

        try (RowReader reader = query(sql).open()) {
            for (int i = 1; i <= 100_000; i++) {
                assertThat(reader.next(row)).isTrue();
            }
            runtime.gc();

            assertThat(row.text(0)).isEqualTo("100000");
            assertThat(runtime.totalMemory() - runtime.freeMemory() - before).isLessThan(50L << 20);
        }
    }

    @Test
    void queryThatWritesIsRefused() {
        assertThatThrownBy(() -> Rows.read(query("DELETE FROM app.customer RETURNING id")))
                .isInstanceOf(SourceException.class)
                .hasMessageContaining("read-only transaction")
                .message()
                .doesNotContain("\n");
    }

    @Test
    void userAndPasswordBeforeTheHostAreAccepted() {
        String url = "jdbc:postgresql://ada:hunter2@localhost:" + postgres.getPort() + "/postgres";

        List<Rows.Read> rows = Rows.read(JdbcSource.ofQuery(url, "SELECT current_user AS u", JdbcOptions.defaults()));

        assertThat(rows.getFirst().values()).containsExactly("ada");
    }

    @Test
    void missingDatabaseIsReportedAsUnusableAndRefusedUserAsUnreachable() {
        String host = "jdbc:postgresql://localhost:" + postgres.getPort();

        assertKind(
                JdbcSource.ofTable(host + "/nope?user=postgres", "t", JdbcOptions.defaults()),
                SourceException.Kind.UNUSABLE,
                "does not exist");
        assertKind(
                JdbcSource.ofTable(
                        host + "/postgres",
                        "t",
                        JdbcOptions.defaults().withUser("nobody").withPassword("pw-x-1")),
                SourceException.Kind.UNREACHABLE,
                "nobody");
    }

    @Test
    void lostConnectionEndsTheSource() throws SQLException {
        Row row = new Row();
        try (RowReader reader = query("SELECT pg_backend_pid() AS pid, generate_series(1, 100000000) AS i")
                        .open();
                Connection other = postgres.getPostgresDatabase().getConnection()) {
            assertThat(reader.next(row)).isTrue();

            Sql.run(other, "SELECT pg_terminate_backend(" + row.text(0) + ")");

            assertThatThrownBy(() -> Rows.rest(reader))
                    .isInstanceOfSatisfying(
                            SourceException.class, e -> assertThat(e.kind()).isEqualTo(SourceException.Kind.BROKEN))
                    .hasMessageContaining("failed after 1000 rows");
        }
    }

    @Test
    void readerThatWaitsForTheDatabaseCanBeCancelled() throws Exception {
        String sql = "SELECT i, CASE WHEN i = 3 THEN pg_sleep(600)::text END AS s FROM generate_series(1, 5) AS i";
        JdbcSource source =
                JdbcSource.ofQuery(url(), sql, JdbcOptions.defaults().withFetchSize(1));

        CancelAssertions.assertCancelEndsReading(source, 2);
    }

    @Test
    void progressShareOfATableUsesTheRowEstimateOfTheLastAnalyze() throws SQLException {
        try (Connection other = postgres.getPostgresDatabase().getConnection()) {
            Sql.run(
                    other,
                    "CREATE TABLE sized AS SELECT generate_series(1, 200) AS i",
                    "CREATE VIEW sized_view AS SELECT * FROM sized");
            try (RowReader reader = table("sized").open()) {
                assertThat(reader.share()).as("never analyzed").isEmpty();
            }
            Sql.run(other, "ANALYZE sized");
        }

        Row row = new Row();
        try (RowReader reader = table("Sized").open()) {
            for (int i = 0; i < 50; i++) {
                assertThat(reader.next(row)).isTrue();
            }
            assertThat(reader.share()).hasValue(0.25);
            assertThat(reader.expectedRows()).isEmpty();
            assertThat(Rows.rest(reader)).hasSize(150);
            assertThat(reader.share()).hasValue(1);
        }
        try (RowReader reader = table("sized_view").open()) {
            assertThat(reader.share()).isEmpty();
        }
        try (Connection other = postgres.getPostgresDatabase().getConnection()) {
            Sql.run(other, "DROP TABLE sized CASCADE");
        }
    }

    private static void assertKind(RowSource source, SourceException.Kind kind, String words) {
        assertThatThrownBy(source::open)
                .isInstanceOfSatisfying(
                        SourceException.class, e -> assertThat(e.kind()).isEqualTo(kind))
                .hasMessageContaining(words);
    }

    private static String url() {
        return "jdbc:postgresql://localhost:" + postgres.getPort() + "/postgres?user=postgres";
    }

    private static JdbcSource query(String sql) {
        return JdbcSource.ofQuery(url(), sql, JdbcOptions.defaults());
    }

    private static JdbcSource table(String name) {
        return JdbcSource.ofTable(url(), name, JdbcOptions.defaults());
    }
}
