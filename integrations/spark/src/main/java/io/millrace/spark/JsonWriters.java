// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import io.millrace.load.source.Row;
import java.util.Arrays;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** Writes structures, arrays and maps as JSON. NULL becomes {@code null}, and bytes become Base64. */
final class JsonWriters {

    private JsonWriters() {}

    /** An object with a member for each field. */
    static ValueWriter struct(String column, StructType type) {
        StructField[] fields = type.fields();
        ValueWriter[] values = Arrays.stream(fields)
                .map(field -> ValueWriters.of(column + "." + field.name(), field.dataType()))
                .toArray(ValueWriter[]::new);
        return (from, ordinal, out) -> {
            InternalRow struct = from.getStruct(ordinal, fields.length);
            out.append('{');
            for (int i = 0; i < fields.length; i++) {
                if (i > 0) {
                    out.append(',');
                }
                int start = out.length();
                out.append(fields[i].name());
                out.quoteFrom(start);
                out.append(':');
                value(values[i], struct, i, out);
            }
            out.append('}');
            return Row.Kind.JSON;
        };
    }

    static ValueWriter array(String column, ArrayType type) {
        ValueWriter element = ValueWriters.of(column + ".element", type.elementType());
        return (from, ordinal, out) -> {
            ArrayData array = from.getArray(ordinal);
            out.append('[');
            for (int i = 0; i < array.numElements(); i++) {
                if (i > 0) {
                    out.append(',');
                }
                value(element, array, i, out);
            }
            out.append(']');
            return Row.Kind.JSON;
        };
    }

    /** An object whose member names are the keys as text. */
    static ValueWriter map(String column, MapType type) {
        ValueWriter key = ValueWriters.of(column + ".key", type.keyType());
        ValueWriter value = ValueWriters.of(column + ".value", type.valueType());
        return (from, ordinal, out) -> {
            MapData map = from.getMap(ordinal);
            out.append('{');
            for (int i = 0; i < map.numElements(); i++) {
                if (i > 0) {
                    out.append(',');
                }
                int start = out.length();
                if (key.write(map.keyArray(), i, out) == Row.Kind.BYTES) {
                    out.base64From(start);
                } else {
                    out.quoteFrom(start);
                }
                out.append(':');
                value(value, map.valueArray(), i, out);
            }
            out.append('}');
            return Row.Kind.JSON;
        };
    }

    private static void value(ValueWriter writer, SpecializedGetters from, int ordinal, ByteText out) {
        if (from.isNullAt(ordinal)) {
            out.append("null");
            return;
        }
        int start = out.length();
        switch (writer.write(from, ordinal, out)) {
            case TEXT -> out.quoteFrom(start);
            case BYTES -> out.base64From(start);
            case NUMBER, BOOLEAN, JSON, NULL -> {}
        }
    }
}
