// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.command.Hashes;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.DecimalType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The text in Redis for each type of Spark. */
class ValuesTest {

    @BeforeEach
    void clearServer() {
        TestRedis.clear();
    }

    private static Map<String, String> written(String... expressions) {
        List<String> columns = new ArrayList<>(List.of("id AS nr"));
        columns.addAll(List.of(expressions));
        Dataset<Row> rows = TestSpark.session().range(1).selectExpr(columns.toArray(String[]::new));
        TestSpark.write(rows, "key", "row:{nr}", "as", "hash", "exclude", "nr").save();
        return new TreeMap<>(TestRedis.hash("row:0"));
    }

    @Test
    void numbersHaveNoExponentAndDecimalsKeepTheirScale() {
        assertThat(written(
                        "cast(-7 AS tinyint) AS a",
                        "cast(300 AS smallint) AS b",
                        "-2147483648 AS c",
                        "-9223372036854775808L AS d",
                        "cast(-1.50 AS decimal(10,2)) AS e",
                        "cast('12345678901234567890.123456789' AS decimal(38,9)) AS f",
                        "1e21D AS g",
                        "2.0D AS h",
                        "cast(0.1 AS float) AS i",
                        "double('NaN') AS j",
                        "cast(0.05 AS decimal(3,2)) AS k",
                        "cast(-0.05 AS decimal(3,2)) AS l",
                        "1.25e-7D AS m"))
                .isEqualTo(Map.ofEntries(
                        Map.entry("a", "-7"),
                        Map.entry("b", "300"),
                        Map.entry("c", "-2147483648"),
                        Map.entry("d", "-9223372036854775808"),
                        Map.entry("e", "-1.50"),
                        Map.entry("f", "12345678901234567890.123456789"),
                        Map.entry("g", "1000000000000000000000"),
                        Map.entry("h", "2"),
                        Map.entry("i", "0.1"),
                        Map.entry("j", "NaN"),
                        Map.entry("k", "0.05"),
                        Map.entry("l", "-0.05"),
                        Map.entry("m", "0.000000125")));
    }

    @Test
    void decimalWithANegativeScaleHasAllDigits() {
        SparkSession.setActiveSession(TestSpark.session());
        TestSpark.session().conf().set("spark.sql.legacy.allowNegativeScaleOfDecimal", true);
        try {
            UnsafeRow row = new UnsafeRow(1);
            row.pointTo(new byte[16], 16);
            row.setLong(0, 123);
            ByteText text = new ByteText();

            var unused = ValueWriters.of("a", new DecimalType(5, -3)).write(row, 0, text);

            assertThat(new String(text.bytes(), 0, text.length(), StandardCharsets.US_ASCII))
                    .isEqualTo("123000");
        } finally {
            TestSpark.session().conf().unset("spark.sql.legacy.allowNegativeScaleOfDecimal");
        }
    }

    @Test
    void timesAreIso8601InUtc() {
        assertThat(written(
                        "timestamp'2026-11-26 21:22:52.5 Europe/Berlin' AS a",
                        "timestamp_ntz'2026-11-26 21:22:52.123456' AS b",
                        "date'1969-12-31' AS c",
                        "date'0001-01-01' AS d",
                        "timestamp_ntz'1969-12-31 23:59:59.999999' AS e"))
                .isEqualTo(Map.of(
                        "a", "2026-11-26T20:22:52.5Z",
                        "b", "2026-11-26T21:22:52.123456",
                        "c", "1969-12-31",
                        "d", "0001-01-01",
                        "e", "1969-12-31T23:59:59.999999"));
    }

    @Test
    void timestampsEqualThoseOfJavaTime() {
        Random random = new Random(23);
        for (int i = 0; i < 100_000; i++) {
            long micros = random.nextLong(-62_135_596_800_000_000L, 253_402_300_800_000_000L);
            ByteText text = new ByteText();

            TimeText.timestamp(micros, text);

            String expected = DateTimeFormatter.ISO_LOCAL_DATE_TIME.format(LocalDateTime.ofEpochSecond(
                    Math.floorDiv(micros, 1_000_000L),
                    (int) Math.floorMod(micros, 1_000_000L) * 1_000,
                    ZoneOffset.UTC));
            String actual = new String(text.bytes(), 0, text.length(), StandardCharsets.US_ASCII);
            assertThat(actual).isEqualTo(expected.replaceFirst("(\\.\\d*?)0+$", "$1"));
        }
    }

    @Test
    void nestedTypesAndVariantsAreJson() {
        assertThat(written(
                        "named_struct('name', 'A \"quoted\" \\\\ é', 'tags', array(1, null, 3), 'none', cast(null AS int)) AS a",
                        "map('x', timestamp_ntz'2026-01-02 03:04:05', 'y', null) AS b",
                        "map(1, X'0102') AS c",
                        "parse_json('{\"k\": [1, \"v\"]}') AS d",
                        "array(named_struct('p', 1.50BD)) AS e"))
                .isEqualTo(Map.of(
                        "a", "{\"name\":\"A \\\"quoted\\\" \\\\ é\",\"tags\":[1,null,3],\"none\":null}",
                        "b", "{\"x\":\"2026-01-02T03:04:05\",\"y\":null}",
                        "c", "{\"1\":\"AQI=\"}",
                        "d", "{\"k\":[1,\"v\"]}",
                        "e", "[{\"p\":1.50}]"));
    }

    @Test
    void textIsUtf8AndBinaryIsRaw() {
        assertThat(written("'Zoë 日本 😀' AS a", "encode('é', 'UTF-8') AS b", "'' AS c", "cast(null AS string) AS d"))
                .isEqualTo(Map.of("a", "Zoë 日本 😀", "b", "é", "c", ""));
    }

    @Test
    void binaryNeedNotBeText() {
        Dataset<Row> rows = TestSpark.session().range(1).selectExpr("id", "X'FF00FE' AS raw");

        TestSpark.write(rows, "key", "row:{id}", "as", "hash").save();

        byte[] key = "row:0".getBytes(StandardCharsets.US_ASCII);
        byte[] field = "raw".getBytes(StandardCharsets.US_ASCII);
        assertThat(TestRedis.client().call(Hashes.get(key, field)))
                .hasValueSatisfying(value -> assertThat(value).containsExactly(0xff, 0, 0xfe));
    }

    @ParameterizedTest
    @ValueSource(strings = {"INTERVAL '1' DAY", "INTERVAL '1' YEAR", "array(INTERVAL '1' DAY)"})
    void intervalsAreRefusedOnTheDriver(String expression) {
        Dataset<Row> rows = TestSpark.session().range(1).selectExpr("id", expression + " AS wait");

        assertThatThrownBy(() ->
                        TestSpark.write(rows, "key", "row:{id}", "as", "hash").save())
                .isInstanceOf(SparkLoadException.class)
                .hasMessageStartingWith("column wait")
                .hasMessageContaining("which cannot be written. Cast it");
    }
}
