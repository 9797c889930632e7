// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.sql.Array;
import java.sql.Date;
import java.sql.SQLException;
import java.sql.Struct;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.format.DateTimeFormatter;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/**
 * Writes the arrays and structures of JDBC drivers as JSON, for databases that cannot convert them. Numbers and
 * booleans keep their type, bytes become base64, and other values become strings, dates and times in ISO 8601.
 */
final class SqlJson {

    private static final JsonFactory JSON = new JsonFactory();

    /** Maximum depth. A driver with a structure that contains itself would otherwise exhaust the stack. */
    private static final int MAX_DEPTH = 100;

    private SqlJson() {}

    /** The JSON text of {@code value} in UTF-8. */
    static byte[] of(Object value) throws SQLException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), out)) {
            write(json, value, 0);
        }
        return out.toByteArray();
    }

    private static void write(JsonGenerator json, @Nullable Object value, int depth) throws SQLException {
        if (depth > MAX_DEPTH) {
            throw new SQLException("the value is nested more than " + MAX_DEPTH + " levels deep");
        }
        switch (value) {
            case null -> json.writeNull();
            case Array array -> writeAll(json, elements(array), depth);
            case Struct struct -> writeAll(json, struct.getAttributes(), depth);
            case Object[] objects -> writeAll(json, objects, depth);
            case Collection<?> objects -> writeAll(json, objects.toArray(), depth);
            case Map<?, ?> map -> writeMap(json, map, depth);
            case byte[] bytes -> json.writeBinary(bytes);
            case Boolean bool -> json.writeBoolean(bool);
            case Number number -> writeNumber(json, number);
            case Object other -> json.writeString(text(other));
        }
    }

    private static Object[] elements(Array array) throws SQLException {
        Object elements = array.getArray();
        if (elements instanceof Object[] objects) {
            return objects;
        }
        // An array of a primitive type, such as int[].
        Object[] boxed = new Object[java.lang.reflect.Array.getLength(elements)];
        for (int i = 0; i < boxed.length; i++) {
            boxed[i] = java.lang.reflect.Array.get(elements, i);
        }
        return boxed;
    }

    private static void writeAll(JsonGenerator json, Object[] values, int depth) throws SQLException {
        json.writeStartArray();
        for (Object value : values) {
            write(json, value, depth + 1);
        }
        json.writeEndArray();
    }

    private static void writeMap(JsonGenerator json, Map<?, ?> map, int depth) throws SQLException {
        json.writeStartObject();
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            json.writeName(String.valueOf(entry.getKey()));
            write(json, entry.getValue(), depth + 1);
        }
        json.writeEndObject();
    }

    private static void writeNumber(JsonGenerator json, Number number) {
        String text = number instanceof BigDecimal decimal ? decimal.toPlainString() : number.toString();
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        boolean known = number instanceof BigDecimal
                || number instanceof BigInteger
                || number instanceof Long
                || number instanceof Integer
                || number instanceof Short
                || number instanceof Byte
                || number instanceof Double
                || number instanceof Float;
        if (known && JsonNumber.matches(bytes, 0, bytes.length)) {
            json.writeRawValue(text);
        } else {
            json.writeString(text);
        }
    }

    private static String text(Object value) {
        return switch (value) {
            case Timestamp timestamp -> DateTimeFormatter.ISO_LOCAL_DATE_TIME.format(timestamp.toLocalDateTime());
            case Date date -> date.toLocalDate().toString();
            case Time time -> DateTimeFormatter.ISO_LOCAL_TIME.format(time.toLocalTime());
            default -> value.toString();
        };
    }
}
