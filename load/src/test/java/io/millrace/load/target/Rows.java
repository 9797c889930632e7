// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.load.source.Column;
import io.millrace.load.source.Row;
import java.math.BigDecimal;
import java.util.List;
import java.util.stream.Stream;

/** Columns and rows for tests. */
public final class Rows {

    /** The argument for NULL. */
    public static final Object NULL = new Object();

    private Rows() {}

    public static List<Column> columns(String... names) {
        return Stream.of(names).map(Column::new).toList();
    }

    /** A row of the given values. The class of a value decides its kind. */
    public static Row row(Object... values) {
        Row row = new Row();
        row.clear(1, 2);
        for (Object value : values) {
            add(row, value);
        }
        return row;
    }

    private static void add(Row row, Object value) {
        switch (value) {
            case String text -> row.add(Row.Kind.TEXT, text);
            case Integer number -> row.add(number.longValue());
            case BigDecimal number -> row.add(Row.Kind.NUMBER, number.toPlainString());
            case Boolean truth -> row.add(truth);
            case byte[] bytes -> row.add(Row.Kind.BYTES, bytes);
            default -> row.addNull();
        }
    }
}
