// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.load.source.Row.Kind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SqliteSourceTest {

    @TempDir
    private Path folder;

    private String url = "";

    @BeforeEach
    void createDatabase() throws SQLException {
        url = "jdbc:sqlite:" + folder.resolve("shop.db");
        Sql.run(
                url,
                "CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, balance REAL, picture BLOB, anything)",
                "INSERT INTO customer VALUES (1, 'Ada 🌊', 199.5, x'00FF', 'text')",
                "INSERT INTO customer VALUES (9223372036854775807, NULL, 20.0, NULL, 42)",
                "INSERT INTO customer VALUES (-5, '', 1e22, x'', 1.5e-7)",
                "INSERT INTO customer VALUES (-6, 'x', 9e999, x'', 9e999)",
                "CREATE TABLE \"odd \"\"name\"\"\" (\"a.b\" INT)",
                "INSERT INTO \"odd \"\"name\"\"\" VALUES (1)",
                "CREATE VIEW adults AS SELECT id FROM customer WHERE id = 1");
    }

    @Test
    void everyValueIsReadAsStored() {
        List<Rows.Read> rows = Rows.read(query("SELECT * FROM customer ORDER BY id DESC"));

        assertThat(Rows.values(rows))
                .containsExactly(
                        List.of("9223372036854775807", Rows.NULL, "20", Rows.NULL, "42"),
                        List.of("1", "Ada 🌊", "199.5", "\0\uFFFD", "text"),
                        List.of("-5", "", "10000000000000000000000", "", "0.00000015"),
                        List.of("-6", "x", "Infinity", "", "Infinity"));
        assertThat(rows.get(1).kinds()).containsExactly(Kind.NUMBER, Kind.TEXT, Kind.NUMBER, Kind.BYTES, Kind.TEXT);
        assertThat(rows.get(3).kinds()).containsExactly(Kind.NUMBER, Kind.TEXT, Kind.TEXT, Kind.BYTES, Kind.TEXT);
        assertThat(rows).extracting(Rows.Read::number).containsExactly(1L, 2L, 3L, 4L);
        assertThat(rows).extracting(Rows.Read::line).containsOnly(0L);
    }

    @Test
    void tableIsReadWithSeveralConnections() {
        assertThat(Rows.read(table("customer").partitioned("ID", 3)))
                .extracting(row -> row.values().getFirst())
                .containsExactlyInAnyOrder("-6", "-5", "1", "9223372036854775807");
    }

    @Test
    void blobsAreRawBytes() {
        Row row = new Row();
        try (RowReader reader = query("SELECT x'00FF80' AS b, x'01' AS c").open()) {
            assertThat(reader.next(row)).isTrue();

            assertThat(row.length(0)).isEqualTo(3);
            assertThat(row.bytes()).startsWith(0, 0xFF, 0x80, 1);
        }
    }

    @Test
    void onlyTheRowWithInvalidUtf8IsRejected() {
        List<Rows.Read> rows =
                Rows.read(query("SELECT 1 AS id, CAST(x'61FF' AS TEXT) AS t UNION ALL SELECT 2, '\uFFFD'"));

        assertThat(rows).extracting(Rows.Read::rejection).containsExactly("NOT_UTF8: 't' is not UTF-8", "");
    }

    @Test
    void tablesAndViewsAreFoundInAnyLetterCase() {
        assertThat(Rows.read(table("customer"))).hasSize(4);
        assertThat(Rows.read(table("CUSTOMER"))).hasSize(4);
        assertThat(Rows.read(table("main.customer"))).hasSize(4);
        assertThat(Rows.read(table("adults"))).hasSize(1);
        try (RowReader reader = table("odd \"name\"").open()) {
            assertThat(Rows.columns(reader)).containsExactly("a.b");
        }
    }

    @Test
    void missingTableIsReportedWithTheExistingTables() {
        assertUnusable(table("custmer"), url + " has no table 'custmer'; there are: adults, customer, odd \"name\".");
        assertUnusable(
                table("customer\"; DROP TABLE customer; --"),
                url + " has no table 'customer\"; DROP TABLE customer; --';"
                        + " there are: adults, customer, odd \"name\".");
    }

    @Test
    void invalidQueryIsRefusedWithTheDatabaseMessage() {
        assertThatThrownBy(() -> query("SELEC 1").open())
                .isInstanceOfSatisfying(
                        SourceException.class, e -> assertThat(e.kind()).isEqualTo(SourceException.Kind.UNUSABLE))
                .hasMessageStartingWith("cannot read the query of " + url)
                .hasMessageContaining("syntax error");
    }

    @Test
    void columnsWithTheSameNameAreRefused() {
        assertUnusable(
                query("SELECT id, name, id FROM customer"),
                "cannot use the columns of " + url
                        + ": several columns have the same name: 'id'. Give each column a unique name.");
    }

    @Test
    void missingFileIsNotCreated() {
        Path missing = folder.resolve("missing.db");

        assertThatThrownBy(() -> JdbcSource.ofTable("jdbc:sqlite:" + missing, "t", JdbcOptions.defaults())
                        .open())
                .isInstanceOfSatisfying(
                        SourceException.class, e -> assertThat(e.kind()).isEqualTo(SourceException.Kind.UNUSABLE));

        assertThat(Files.exists(missing)).isFalse();
    }

    @Test
    void queryThatWritesIsRefused() {
        assertThatThrownBy(() -> Rows.read(query("DELETE FROM customer RETURNING id")))
                .isInstanceOf(SourceException.class)
                .hasMessageContaining("readonly");

        assertThat(Rows.read(table("customer"))).hasSize(4);
    }

    @Test
    void endlessQueryIsStreamed() {
        Row row = new Row();
        try (RowReader reader = query("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n")
                .open()) {
            for (int i = 1; i <= 50_000; i++) {
                assertThat(reader.next(row)).isTrue();
            }

            assertThat(row.text(0)).isEqualTo("50000");
        }
    }

    @Test
    void endlessQueryCanBeCancelled() throws Exception {
        CancelAssertions.assertCancelEndsReading(
                query("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n WHERE i < 3"),
                2);
    }

    @Test
    void rowsOfATableAreCountedButRowsOfAViewAreNot() {
        try (RowReader reader = table("CUSTOMER").open()) {
            assertThat(reader.expectedRows()).hasValue(4);
            assertThat(reader.share()).hasValue(0);
            assertThat(reader.next(new Row())).isTrue();
            assertThat(reader.share()).hasValue(0.25);
        }
        try (RowReader reader = table("odd \"name\"").open()) {
            assertThat(reader.expectedRows()).hasValue(1);
        }
        for (JdbcSource uncounted : List.of(table("adults"), query("SELECT * FROM customer"))) {
            try (RowReader reader = uncounted.open()) {
                assertThat(reader.expectedRows()).isEmpty();
                assertThat(reader.share()).isEmpty();
            }
        }
    }

    private JdbcSource query(String sql) {
        return JdbcSource.ofQuery(url, sql, JdbcOptions.defaults());
    }

    private JdbcSource table(String name) {
        return JdbcSource.ofTable(url, name, JdbcOptions.defaults());
    }

    private static void assertUnusable(RowSource source, String message) {
        assertThatThrownBy(source::open)
                .isInstanceOfSatisfying(
                        SourceException.class, e -> assertThat(e.kind()).isEqualTo(SourceException.Kind.UNUSABLE))
                .hasMessage(message);
    }
}
