// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.load.source.Row.Kind;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** DuckDB reads Parquet files. These tests load its driver from its jar, as the command line does. */
final class DuckDbSourceTest {

    @TempDir
    private Path folder;

    @Test
    void parquetFileIsReadWithNestedValuesAsJson() throws Exception {
        Path parquet = folder.resolve("sales.parquet");
        Sql.run("jdbc:duckdb:", """
                COPY (SELECT 1 AS id, 'größe' AS name, 199.50::DECIMAL(10,2) AS price, true AS paid, 0.1::FLOAT AS rate,
                        DATE '2026-02-03' AS day, TIMESTAMP '2026-02-03 04:05:06' AS moment, TIMESTAMPTZ '2026-02-03 04:05:06+02' AS instant,
                        [1, 2, NULL] AS tags, {'city': 'Rome', 'zip': ['a', 'b']} AS address, NULL::INTEGER AS nothing,
                        NULL::INTEGER[] AS no_tags
                      UNION ALL SELECT 2, NULL, NULL, false, NULL, NULL, NULL, NULL, [], NULL, 7, [3])
                TO '%s' (FORMAT parquet)""".formatted(parquet));

        List<Rows.Read> rows = Rows.read(query("SELECT * FROM '" + parquet + "' ORDER BY id -- in order"));

        assertThat(rows).hasSize(2);
        assertThat(rows.getFirst().values())
                .containsExactly(
                        "1",
                        "größe",
                        "199.50",
                        "true",
                        "0.1",
                        "2026-02-03",
                        "2026-02-03T04:05:06",
                        "2026-02-03T02:05:06Z",
                        "[1,2,null]",
                        "{\"city\":\"Rome\",\"zip\":[\"a\",\"b\"]}",
                        Rows.NULL,
                        Rows.NULL);
        assertThat(rows.getFirst().kinds().subList(8, 10)).containsExactly(Kind.JSON, Kind.JSON);
        assertThat(rows.get(1).values().subList(8, 12)).containsExactly("[]", Rows.NULL, "7", "[3]");
    }

    @Test
    void parquetFileIsReadWithSeveralConnections() throws Exception {
        Path parquet = folder.resolve("numbers.parquet");
        Sql.run(
                "jdbc:duckdb:",
                "COPY (SELECT range AS id, [range] AS list FROM range(1000)) TO '%s' (FORMAT parquet)"
                        .formatted(parquet));

        List<Rows.Read> rows =
                Rows.read(query("SELECT * FROM '" + parquet + "'").partitioned("id", 3));

        assertThat(rows.stream().map(row -> row.values().getFirst()).distinct()).hasSize(1000);
        assertThat(rows)
                .hasSize(1000)
                .allSatisfy(row -> assertThat(row.values().get(1))
                        .isEqualTo("[" + row.values().getFirst() + "]"));
    }

    @Test
    void largeNumbersAndJsonKeepTheirKind() {
        Rows.Read row = Rows.read(query("SELECT 170141183460469231731687303715884105727::HUGEINT AS a,"
                        + " 18446744073709551615::UBIGINT AS b, '{\"x\": 1}'::JSON AS c, MAP {'k': 1} AS d"))
                .getFirst();

        assertThat(row.values())
                .containsExactly(
                        "170141183460469231731687303715884105727", "18446744073709551615", "{\"x\": 1}", "{\"k\":1}");
        assertThat(row.kinds()).containsExactly(Kind.NUMBER, Kind.NUMBER, Kind.JSON, Kind.JSON);
    }

    @Test
    void databaseFileIsReadButNeitherCreatedNorChanged() throws Exception {
        Path database = folder.resolve("shop.duckdb");
        String url = "jdbc:duckdb:" + database;

        assertThatThrownBy(() -> JdbcSource.ofTable(url, "shop", options()).open())
                .isInstanceOf(SourceException.class);
        assertThat(Files.exists(database)).isFalse();

        Sql.run(url, "CREATE TABLE shop (id INTEGER)", "INSERT INTO shop VALUES (1), (2)");
        assertThat(Rows.read(JdbcSource.ofTable(url, "SHOP", options()))).hasSize(2);
        assertThatThrownBy(() -> Rows.read(JdbcSource.ofQuery(url, "DELETE FROM shop RETURNING id", options())))
                .isInstanceOf(SourceException.class);
        assertThat(Rows.read(JdbcSource.ofTable(url, "shop", options()))).hasSize(2);
    }

    @Test
    void manyRowsAreStreamed() throws Exception {
        Row row = new Row();
        try (RowReader reader =
                query("SELECT range AS id FROM range(100000000000)").open()) {
            for (int i = 0; i < 10_000; i++) {
                assertThat(reader.next(row)).isTrue();
            }
            assertThat(row.text(0)).isEqualTo("9999");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:duckdb:;session_init_sql_file=/tmp/x.sql",
                "jdbc:duckdb:x.db;access_mode=READ_WRITE",
                "jdbc:duckdb:x.db;duckdb.read_only=false",
                "jdbc:duckdb:;allow_unsigned_extensions=true",
                "jdbc:duckdb:;custom_extension_repository=http://h/x",
                "jdbc:duckdb:;extension_directory=/tmp/x",
                "jdbc:duckdb:;log_query_path=/tmp/x",
                "jdbc:duckdb:;profiling_output=/tmp/x",
                "jdbc:duckdb:;secret_directory=/tmp/x",
            })
    void urlThatRunsSqlOrWritesFilesIsRefused(String url) {
        assertThat(JdbcUrlRules.refusal(url)).isPresent();
    }

    @Test
    void ordinaryUrlIsAllowed() {
        assertThat(JdbcUrlRules.refusal("jdbc:duckdb:")).isEmpty();
        assertThat(JdbcUrlRules.refusal("jdbc:duckdb:/data/x.db;threads=2;memory_limit=1GB"))
                .isEmpty();
    }

    @Test
    void driverFileWithoutADriverIsRefused() throws Exception {
        Path empty = Files.createDirectory(folder.resolve("empty"));
        Path missing = folder.resolve("missing.jar");

        assertThatThrownBy(() -> open(empty))
                .isInstanceOf(SourceException.class)
                .hasMessage("cannot use the driver file " + empty + ": it contains no JDBC driver.");
        assertThatThrownBy(() -> open(missing))
                .hasMessage("cannot use the driver file " + missing
                        + ": there is no such file, or no permission to read it.");
    }

    @Test
    void driverOfAFileHasASeparateClassLoader() throws Exception {
        assertThat(JdbcDrivers.all(List.of(jar())).getFirst().getClass().getName())
                .isEqualTo("org.duckdb.DuckDBDriver");
        assertThat(JdbcDrivers.all(List.of(jar())).getFirst().getClass().getClassLoader())
                .isNotEqualTo(getClass().getClassLoader());
        assertThat(JdbcDrivers.all(List.of(jar())).getFirst())
                .as("loaded once")
                .isSameAs(JdbcDrivers.all(List.of(jar())).getFirst());
    }

    private static void open(Path driver) {
        JdbcOptions options = JdbcOptions.defaults().withDrivers(List.of(driver));
        JdbcSource.ofQuery("jdbc:duckdb:", "SELECT 1 AS a", options).open().close();
    }

    private static JdbcSource query(String sql) {
        return JdbcSource.ofQuery("jdbc:duckdb:", sql, options());
    }

    private static JdbcOptions options() {
        return JdbcOptions.defaults().withDrivers(List.of(jar()));
    }

    /** The jar of the driver on the class path of the tests. */
    private static Path jar() {
        try {
            return Path.of(Class.forName("org.duckdb.DuckDBDriver")
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (ClassNotFoundException | URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
