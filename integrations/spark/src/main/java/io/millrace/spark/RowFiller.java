// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import io.millrace.load.source.Column;
import io.millrace.load.source.Rejection;
import io.millrace.load.source.Row;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** Copies rows of Spark to rows of a load. Confined to one thread. */
final class RowFiller {

    private final StructField[] fields;
    private final ValueWriter[] writers;
    private final ByteText text = new ByteText();

    /**
     * Creates the filler for rows of {@code schema}.
     *
     * @throws SparkLoadException if a column has a type that cannot be written
     */
    RowFiller(StructType schema) {
        fields = schema.fields();
        writers = Arrays.stream(fields)
                .map(field -> ValueWriters.of(field.name(), field.dataType()))
                .toArray(ValueWriter[]::new);
    }

    static List<Column> columns(StructType schema) {
        return Arrays.stream(schema.fields())
                .map(field -> new Column(field.name()))
                .toList();
    }

    /** Adds the values of {@code from} to {@code row}. Rejects the row if a value cannot be read. */
    void fill(InternalRow from, Row row) {
        for (int i = 0; i < writers.length; i++) {
            if (from.isNullAt(i)) {
                row.addNull();
                continue;
            }
            text.clear();
            try {
                Row.Kind kind = writers[i].write(from, i, text);
                row.add(kind, text.bytes(), 0, text.length());
            } catch (RuntimeException unreadable) {
                row.addNull();
                row.reject(
                        Rejection.Reason.UNREADABLE_VALUE,
                        "column " + fields[i].name() + " cannot be read: " + unreadable.getMessage());
            }
        }
    }
}
