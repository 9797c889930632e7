// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;

/** The readers of databases that have no server in these tests. */
final class SqlDialectTest {

    @Test
    void yearOfMySqlIsANumberAlthoughTheDriverTakesItForADate() throws SQLException {
        Row row = read(SqlDialect.MYSQL, "YEAR", Types.DATE, Map.of("getLong", 2026L));

        assertThat(row.text(0)).isEqualTo("2026");
        assertThat(row.kind(0)).isEqualTo(Row.Kind.NUMBER);
    }

    @Test
    void smallIntegerOfMySqlIsABooleanOnlyIfItIsZeroOrOne() throws SQLException {
        assertThat(read(SqlDialect.MYSQL, "TINYINT", Types.BIT, Map.of("getLong", 1L))
                        .kind(0))
                .isEqualTo(Row.Kind.BOOLEAN);
        assertThat(read(SqlDialect.MYSQL, "TINYINT", Types.BIT, Map.of("getLong", 2L))
                        .text(0))
                .isEqualTo("2");
    }

    @Test
    void unsignedIntegerOfMySqlIsNotTruncated() throws SQLException {
        Row row = read(
                SqlDialect.MYSQL,
                "BIGINT UNSIGNED",
                Types.BIGINT,
                Map.of("getBigDecimal", new BigDecimal("18446744073709551615"), "isSigned", false));

        assertThat(row.text(0)).isEqualTo("18446744073709551615");
    }

    @Test
    void zeroDateOfMySqlIsRequestedAsNull() {
        Properties properties = new Properties();

        SqlDialect.MYSQL.complete(properties, JdbcUrl.of("jdbc:mysql://h/d"));

        assertThat(properties).containsEntry("zeroDateTimeBehavior", "CONVERT_TO_NULL");
    }

    @Test
    void jsonOfAnyDatabaseIsAJsonValue() throws SQLException {
        Row row = read(SqlDialect.OTHER, "JSON", Types.LONGVARCHAR, Map.of("getString", "{\"a\": 1}"));

        assertThat(row.kind(0)).isEqualTo(Row.Kind.JSON);
        assertThat(row.text(0)).isEqualTo("{\"a\": 1}");
    }

    private static Row read(SqlDialect dialect, String typeName, int type, Map<String, Object> answers)
            throws SQLException {
        ResultSetMetaData meta = proxy(
                ResultSetMetaData.class,
                Map.of(
                        "getColumnTypeName",
                        typeName,
                        "getColumnType",
                        type,
                        "getPrecision",
                        1,
                        "isSigned",
                        answers.getOrDefault("isSigned", true)));
        Row row = new Row();
        dialect.reader(meta, 1).read(proxy(ResultSet.class, answers), 1, row);
        return row;
    }

    private static <T> T proxy(Class<T> type, Map<String, Object> answers) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader() == null ? SqlDialectTest.class.getClassLoader() : type.getClassLoader(),
                new Class<?>[] {type},
                (self, method, arguments) -> {
                    Object answer = answers.get(method.getName());
                    if (answer == null) {
                        throw new SQLException("unexpected call: " + method.getName());
                    }
                    return answer;
                }));
    }
}
