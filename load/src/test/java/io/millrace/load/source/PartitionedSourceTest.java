// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the reading of a table with several connections, with H2. {@link PartitionedPostgresTest} tests slow rows. */
final class PartitionedSourceTest {

    private static final String URL = "jdbc:h2:mem:parts;USER=sa;PASSWORD=hunter2";
    private Connection keptOpen;

    @BeforeEach
    void createDatabase() throws SQLException {
        keptOpen = DriverManager.getConnection(URL);
    }

    @AfterEach
    void dropDatabase() throws SQLException {
        keptOpen.close();
        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .noneMatch(name -> name.startsWith("millrace-source-"));
    }

    private static JdbcSource table(String name) {
        return JdbcSource.ofTable(URL, name, JdbcOptions.defaults());
    }

    private static JdbcSource query(String sql) {
        return JdbcSource.ofQuery(URL, sql, JdbcOptions.defaults());
    }

    private static List<String> sorted(RowSource source, int column) {
        return Rows.read(source).stream()
                .map(row -> row.values().get(column))
                .sorted()
                .toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 64})
    void everyRowIsReadOnce(int readers) throws SQLException {
        Sql.run(keptOpen, "CREATE TABLE shop AS SELECT x AS id, 'name ' || x AS name FROM SYSTEM_RANGE(-500, 3000)");

        assertThat(table("shop").partitioned("id", readers).order())
                .isEqualTo(readers == 1 ? RowOrder.AS_READ : RowOrder.NONE);
        List<Rows.Read> rows = Rows.read(table("shop").partitioned("id", readers));

        assertThat(rows.stream().map(row -> row.values().getFirst()))
                .containsExactlyInAnyOrderElementsOf(LongStream.rangeClosed(-500, 3000)
                        .mapToObj(Long::toString)
                        .toList());
        assertThat(rows)
                .allSatisfy(row -> assertThat(row.values().get(1))
                        .isEqualTo("name " + row.values().getFirst()));
        assertThat(rows.stream().map(Rows.Read::number))
                .containsExactlyElementsOf(
                        LongStream.rangeClosed(1, 3501).boxed().toList());
    }

    @Test
    void rowsOfAPartKeepTheirOrder() throws SQLException {
        Sql.run(keptOpen, "CREATE TABLE shop (id INT PRIMARY KEY) AS SELECT x FROM SYSTEM_RANGE(1, 30000)");

        List<Rows.Read> rows = Rows.read(table("shop").partitioned("id", 1, 30_000, 2));

        List<Integer> ids = rows.stream()
                .map(row -> Integer.valueOf(row.values().getFirst()))
                .toList();
        assertThat(ids.stream().filter(id -> id <= 15_000)).isSorted().hasSize(15_000);
        assertThat(ids.stream().filter(id -> id > 15_000)).isSorted().hasSize(15_000);
    }

    @Test
    void rowsWithoutAValueAndRowsAtTheLimitsOfBigintAreRead() throws SQLException {
        Sql.run(
                keptOpen,
                "CREATE TABLE few (id BIGINT, name VARCHAR)",
                "INSERT INTO few VALUES (-9223372036854775808, 'a'), (9223372036854775807, 'b'), (NULL, 'c'), (0, 'd')");

        assertThat(sorted(table("few").partitioned("id", 3), 1)).containsExactly("a", "b", "c", "d");
    }

    @Test
    void tableWithoutRowsAndTableWithoutValuesAreRead() throws SQLException {
        Sql.run(keptOpen, "CREATE TABLE empty (id INT)", "CREATE TABLE nulls AS SELECT CAST(NULL AS INT) AS id");

        assertThat(Rows.read(table("empty").partitioned("id", 4))).isEmpty();
        assertThat(Rows.read(table("nulls").partitioned("id", 4))).hasSize(1);
    }

    @Test
    void queryWithACommentAtItsEndIsPartitioned() throws SQLException {
        Sql.run(keptOpen, "CREATE TABLE shop AS SELECT x AS id FROM SYSTEM_RANGE(1, 100)");

        assertThat(Rows.read(query("SELECT id AS number FROM shop WHERE id > 50 -- the newer rows;")
                        .partitioned("NUMBER", 3)))
                .hasSize(50);
    }

    @Test
    void rowsOfATableAreCounted() throws SQLException {
        Sql.run(keptOpen, "CREATE TABLE shop AS SELECT x AS id FROM SYSTEM_RANGE(1, 100)");

        try (RowReader reader = table("shop").partitioned("id", 2).open()) {
            assertThat(reader.expectedRows()).hasValue(100);
            assertThat(Rows.columns(reader)).containsExactly("ID");
            Rows.rest(reader);
            assertThat(reader.share()).hasValue(1.0);
        }
    }

    @Test
    void unsuitableColumnIsRefusedWithTheReason() throws SQLException {
        Sql.run(keptOpen, "CREATE TABLE shop AS SELECT x AS id, 'a' AS name, 1.5 AS price FROM SYSTEM_RANGE(1, 3)");

        assertThatThrownBy(() -> table("shop").partitioned("nr", 2).open())
                .isInstanceOf(SourceException.class)
                .hasMessageContaining("has no column 'nr' to partition by; there are: ID, NAME, PRICE.");
        assertThatThrownBy(() -> table("shop").partitioned("name", 2).open())
                .hasMessageContaining("the column 'name' of jdbc:h2:mem:parts has no whole numbers: type=String");
        assertThatThrownBy(() -> table("shop").partitioned("price", 2).open()).hasMessageContaining("no whole numbers");
        assertThatThrownBy(() -> table("shap").partitioned("id", 2).open()).hasMessageContaining("has no table 'shap'");
    }

    @Test
    void readerThatIsClosedEarlyLeavesNoThread() throws SQLException {
        Sql.run(keptOpen, "CREATE TABLE shop AS SELECT x AS id, REPEAT('x', 1000) AS text FROM SYSTEM_RANGE(1, 20000)");

        try (RowReader reader = table("shop").partitioned("id", 3).open()) {
            assertThat(reader.next(new Row())).isTrue();
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 10, 3", "-5, 5, 4", "0, 0, 8", "1, 3, 64", "-9223372036854775808, 9223372036854775807, 5"})
    void rangesCoverEachNumberOnce(long smallest, long largest, int count) {
        List<String> conditions = KeyRanges.conditions("c", KeyRanges.Bounds.of(smallest, largest), count);

        assertThat(conditions).hasSizeLessThanOrEqualTo(count).isNotEmpty();
        for (long value : List.of(smallest, smallest / 2 + largest / 2, largest, Long.MIN_VALUE, Long.MAX_VALUE)) {
            assertThat(conditions.stream().filter(condition -> holds(condition, value)))
                    .as("the conditions that hold for %s, of %s", value, conditions)
                    .hasSize(1);
        }
    }

    /** Whether a condition of the forms {@code 1 = 1}, {@code c < 5}, {@code c >= 5} and {@code … AND …} holds. */
    private static boolean holds(String condition, long value) {
        String terms = condition.replaceAll("[()]| OR c IS NULL", "");
        return List.of(terms.split(" AND ", -1)).stream().allMatch(term -> {
            List<String> words = List.of(term.split(" ", -1));
            int compared = BigInteger.valueOf(value).compareTo(new BigInteger(words.get(2)));
            return switch (words.get(1)) {
                case "<" -> compared < 0;
                case ">=" -> compared >= 0;
                default -> true;
            };
        });
    }
}
