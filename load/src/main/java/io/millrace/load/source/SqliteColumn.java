// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import io.millrace.load.source.Rejection.Reason;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * Reads a column of SQLite. In SQLite, each value has a separate type, which may differ from the declared type of the
 * column.
 */
final class SqliteColumn {

    private SqliteColumn() {}

    static void read(ResultSet from, int column, Row row) throws SQLException {
        switch (from.getObject(column)) {
            case null -> row.addNull();
            case Integer value -> row.add(value);
            case Long value -> row.add(value);
            case String value -> text(from, column, row, value);
            case Double value -> ColumnReaders.add(row, value);
            case byte[] value -> row.add(Row.Kind.BYTES, value);
            case Object value -> row.add(Row.Kind.TEXT, value.toString());
        }
    }

    /** The driver replaces invalid UTF-8 by U+FFFD. So if a text contains U+FFFD, its bytes are checked. */
    private static void text(ResultSet from, int column, Row row, String value) throws SQLException {
        if (value.indexOf('\uFFFD') >= 0) {
            byte[] bytes = from.getBytes(column);
            if (bytes != null && Utf8.firstBad(bytes, 0, bytes.length) >= 0) {
                row.markOpenIncorrect();
                row.reject(
                        Reason.NOT_UTF8,
                        "'%s' is not UTF-8".formatted(from.getMetaData().getColumnLabel(column)));
            }
        }
        row.add(Row.Kind.TEXT, value);
    }
}
