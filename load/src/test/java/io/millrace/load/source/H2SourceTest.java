// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.load.source.Row.Kind;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The column readers for any JDBC database, tested with H2. */
final class H2SourceTest {

    private static final String URL = "jdbc:h2:mem:shop;USER=sa;PASSWORD=hunter2";

    private Connection keptOpen;

    @BeforeEach
    void createDatabase() throws SQLException {
        keptOpen = DriverManager.getConnection(URL);
    }

    @AfterEach
    void dropDatabase() throws SQLException {
        keptOpen.close();
    }

    @Test
    void userInTheUrlOverridesTheUserInTheOptions() {
        JdbcOptions others = JdbcOptions.defaults().withUser("nobody").withPassword("wrong");

        assertThat(Rows.read(JdbcSource.ofQuery(URL, "SELECT 1 AS a", others))).hasSize(1);
    }

    @Test
    void endlessQueryCanBeCancelled() throws Exception {
        CancelAssertions.assertCancelEndsReading(
                query("SELECT x FROM SYSTEM_RANGE(1, 1000000000000) WHERE x < 3 OR x < 0"), 2);
    }

    @Test
    void rowsOfATableAreCounted() throws SQLException {
        Sql.run(keptOpen, "CREATE TABLE three AS SELECT x FROM SYSTEM_RANGE(1, 3)");
        Sql.run(keptOpen, "CREATE VIEW few AS SELECT x FROM three");

        try (RowReader reader =
                JdbcSource.ofTable(URL, "three", JdbcOptions.defaults()).open()) {
            assertThat(reader.expectedRows()).hasValue(3);
            assertThat(Rows.rest(reader)).hasSize(3);
        }
        try (RowReader reader =
                JdbcSource.ofTable(URL, "few", JdbcOptions.defaults()).open()) {
            assertThat(reader.expectedRows()).isEmpty();
        }
    }

    @Test
    void everyColumnTypeIsReadInTheExpectedFormat() {
        Row row = new Row();
        String sql = """
                SELECT CAST(7 AS TINYINT) a1, CAST(-7 AS BIGINT) a2, CAST(199.50 AS DECIMAL(10, 2)) a3,
                  CAST(1E-7 AS DOUBLE PRECISION) b1, CAST(0.1 AS REAL) b2, CAST(20 AS DOUBLE PRECISION) b3,
                  CAST(1E22 AS DECFLOAT) b4, TRUE c1, DATE '2026-02-03' d1, TIME '04:05:00' d2,
                  TIMESTAMP '2026-02-03 04:05:00' d3, TIMESTAMP '2026-02-03 04:05:06.789' d4,
                  TIMESTAMP WITH TIME ZONE '2026-02-03 04:05:06+02' d5, TIME WITH TIME ZONE '04:05:06+02' d6,
                  X'00FF' e1, UUID '123e4567-e89b-12d3-a456-426614174000' e2, JSON '{"a": 1}' e3, ARRAY[1, 2] e4,
                  CAST('ab' AS CHAR(3)) f1, 'größe' f2, '' f3, CAST('NaN' AS DOUBLE PRECISION) g1,
                  CAST('clob' AS CLOB) h1, CAST(X'01' AS BLOB) h2
                """;

        try (RowReader reader = query(sql).open()) {
            assertThat(reader.next(row)).isTrue();
        }

        assertThat(Rows.Read.of(row).values())
                .containsExactly(
                        "7",
                        "-7",
                        "199.50",
                        "0.0000001",
                        "0.1",
                        "20",
                        "10000000000000000000000",
                        "true",
                        "2026-02-03",
                        "04:05:00",
                        "2026-02-03T04:05:00",
                        "2026-02-03T04:05:06.789",
                        "2026-02-03T02:05:06Z",
                        "04:05:06+02:00",
                        "\0\uFFFD",
                        "123e4567-e89b-12d3-a456-426614174000",
                        "{\"a\":1}",
                        "[1,2]",
                        "ab ",
                        "größe",
                        "",
                        "NaN",
                        "clob",
                        "\1");
        assertThat(Rows.Read.of(row).kinds().subList(0, 9))
                .containsExactly(
                        Kind.NUMBER,
                        Kind.NUMBER,
                        Kind.NUMBER,
                        Kind.NUMBER,
                        Kind.NUMBER,
                        Kind.NUMBER,
                        Kind.NUMBER,
                        Kind.BOOLEAN,
                        Kind.TEXT);
        assertThat(row.kind(14)).isEqualTo(Kind.BYTES);
        assertThat(row.kind(16)).isEqualTo(Kind.JSON);
        assertThat(row.kind(17)).isEqualTo(Kind.JSON);
        assertThat(row.kind(21)).isEqualTo(Kind.TEXT);
        assertThat(row.rejection()).isEmpty();
    }

    @Test
    void columnOfEveryTypeCanBeNull() throws SQLException {
        Sql.run(
                keptOpen,
                "CREATE TABLE t (a INT, b BIGINT, c DECIMAL, d DOUBLE PRECISION, e REAL, f BOOLEAN, g DATE, h TIME, i TIMESTAMP,"
                        + " j TIMESTAMP WITH TIME ZONE, k VARBINARY, l UUID, m VARCHAR, n CLOB, o BLOB, p TIME WITH TIME ZONE)",
                "INSERT INTO t DEFAULT VALUES");

        List<Rows.Read> rows = Rows.read(table("t"));

        assertThat(rows.getFirst().values()).hasSize(16).containsOnly(Rows.NULL);
    }

    @Test
    void onlyTheRowWithAnUnreadableValueIsRejected() {
        List<Rows.Read> rows =
                Rows.read(query("SELECT * FROM (VALUES (1, CAST('NaN' AS DECFLOAT)), (2, 5)) AS t(id, n) ORDER BY id"));

        assertThat(rows.getFirst().rejection()).startsWith("UNREADABLE_VALUE: 'N' cannot be read (");
        assertThat(rows.getFirst().values()).containsExactly("1", Rows.NULL);
        assertThat(rows.get(1).values()).containsExactly("2", "5");
        assertThat(rows.get(1).rejection()).isEmpty();
    }

    @Test
    void tableIsFoundWithItsSchemaAndInAnyLetterCase() throws SQLException {
        Sql.run(
                keptOpen,
                "CREATE SCHEMA app",
                "CREATE TABLE app.customer (id INT)",
                "INSERT INTO app.customer VALUES (1)",
                "CREATE TABLE \"Mixed\" (id INT)");

        assertThat(Rows.read(table("APP.CUSTOMER"))).hasSize(1);
        assertThat(Rows.read(table("app.customer"))).hasSize(1);
        assertThat(Rows.read(table("customer"))).hasSize(1);
        assertThat(Rows.read(table("Mixed"))).isEmpty();
        assertThatThrownBy(() -> table("nope").open())
                .hasMessage("jdbc:h2:mem:shop has no table 'nope'; there are: CUSTOMER, Mixed.");

        Sql.run(keptOpen, "CREATE SCHEMA old", "CREATE TABLE old.customer (id INT)");

        assertThatThrownBy(() -> table("customer").open())
                .hasMessage(
                        "jdbc:h2:mem:shop has several tables 'customer': APP.CUSTOMER, OLD.CUSTOMER. Name the schema.");
    }

    @Test
    void firstRowsArriveBeforeTheResultIsComplete() {
        Row row = new Row();
        try (RowReader reader =
                query("SELECT X, 1 / (1000 - X) FROM SYSTEM_RANGE(1, 2000)").open()) {
            for (int i = 1; i < 1_000; i++) {
                assertThat(reader.next(row)).isTrue();
            }

            assertThat(row.text(0)).isEqualTo("999");
            assertThatThrownBy(() -> reader.next(row))
                    .isInstanceOfSatisfying(
                            SourceException.class, e -> assertThat(e.kind()).isEqualTo(SourceException.Kind.BROKEN))
                    .hasMessageStartingWith("reading jdbc:h2:mem:shop failed after 999 rows (Division by zero");
        }
    }

    @Test
    void wrongPasswordIsReportedAsUnreachableAndMissingFileAsUnusable(@TempDir Path folder) {
        assertThatThrownBy(
                        () -> JdbcSource.ofTable("jdbc:h2:mem:shop;USER=sa;PASSWORD=wr0ng", "t", JdbcOptions.defaults())
                                .open())
                .isInstanceOfSatisfying(
                        SourceException.class, e -> assertThat(e.kind()).isEqualTo(SourceException.Kind.UNREACHABLE))
                .hasMessageStartingWith("cannot connect to jdbc:h2:mem:shop (Wrong user name or password")
                .hasMessageNotContaining("wr0ng");
        assertThatThrownBy(() -> JdbcSource.ofTable("jdbc:h2:" + folder.resolve("no"), "t", JdbcOptions.defaults())
                        .open())
                .isInstanceOfSatisfying(
                        SourceException.class, e -> assertThat(e.kind()).isEqualTo(SourceException.Kind.UNUSABLE));
        assertThat(folder).isEmptyDirectory();
    }

    private static JdbcSource query(String sql) {
        return JdbcSource.ofQuery(URL, sql, JdbcOptions.defaults());
    }

    private static JdbcSource table(String name) {
        return JdbcSource.ofTable(URL, name, JdbcOptions.defaults());
    }
}
