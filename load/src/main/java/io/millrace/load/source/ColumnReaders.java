// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.math.BigDecimal;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import org.jspecify.annotations.Nullable;

/** Readers for columns of any JDBC database, by the JDBC type of the column. */
final class ColumnReaders {

    private ColumnReaders() {}

    /** The reader for a column. */
    static ColumnReader of(ResultSetMetaData meta, int column) throws SQLException {
        if (isJson(meta, column)) {
            return ColumnReaders::json;
        }
        return switch (meta.getColumnType(column)) {
            case Types.TINYINT, Types.SMALLINT, Types.INTEGER -> ColumnReaders::integer;
            case Types.BIGINT -> meta.isSigned(column) ? ColumnReaders::integer : ColumnReaders::decimal;
            case Types.DECIMAL, Types.NUMERIC -> ColumnReaders::decimal;
            case Types.REAL -> ColumnReaders::single;
            case Types.FLOAT, Types.DOUBLE -> ColumnReaders::floating;
            case Types.BOOLEAN -> ColumnReaders::bool;
            case Types.BIT -> meta.getPrecision(column) > 1 ? ColumnReaders::bytes : ColumnReaders::bool;
            case Types.DATE -> ColumnReaders::date;
            case Types.TIME -> ColumnReaders::time;
            case Types.TIME_WITH_TIMEZONE -> ColumnReaders::offsetTime;
            case Types.TIMESTAMP -> ColumnReaders::timestamp;
            case Types.TIMESTAMP_WITH_TIMEZONE -> ColumnReaders::instant;
            case Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY, Types.BLOB, Types.JAVA_OBJECT ->
                meta.getColumnTypeName(column).equalsIgnoreCase("UUID") ? ColumnReaders::text : ColumnReaders::bytes;
            case Types.ARRAY -> ColumnReaders::array;
            default -> ColumnReaders::text;
        };
    }

    private static boolean isJson(ResultSetMetaData meta, int column) throws SQLException {
        String type = meta.getColumnTypeName(column);
        return "json".equalsIgnoreCase(type) || "jsonb".equalsIgnoreCase(type);
    }

    static void integer(ResultSet from, int column, Row row) throws SQLException {
        long value = from.getLong(column);
        if (value == 0 && from.wasNull()) {
            row.addNull();
        } else {
            row.add(value);
        }
    }

    static void decimal(ResultSet from, int column, Row row) throws SQLException {
        BigDecimal value = from.getBigDecimal(column);
        if (value == null) {
            row.addNull();
        } else {
            row.add(Row.Kind.NUMBER, value.toPlainString());
        }
    }

    /** A number whose JDBC type is not a number, such as an integer of 128 bits. */
    static void numberText(ResultSet from, int column, Row row) throws SQLException {
        String value = from.getString(column);
        if (value == null) {
            row.addNull();
        } else {
            addNumber(row, value);
        }
    }

    /** 0 and 1 are booleans. A column that the driver takes for a boolean may contain other numbers. */
    static void smallBoolean(ResultSet from, int column, Row row) throws SQLException {
        long value = from.getLong(column);
        if (value == 0 && from.wasNull()) {
            row.addNull();
        } else if (value == 0 || value == 1) {
            row.add(value == 1);
        } else {
            row.add(value);
        }
    }

    static void json(ResultSet from, int column, Row row) throws SQLException {
        String value = from.getString(column);
        if (value == null) {
            row.addNull();
        } else {
            row.add(Row.Kind.JSON, value);
        }
    }

    private static void array(ResultSet from, int column, Row row) throws SQLException {
        Array value = from.getArray(column);
        if (value == null) {
            row.addNull();
        } else {
            row.add(Row.Kind.JSON, SqlJson.of(value));
        }
    }

    static void floating(ResultSet from, int column, Row row) throws SQLException {
        double value = from.getDouble(column);
        if (value == 0 && from.wasNull()) {
            row.addNull();
        } else {
            add(row, value);
        }
    }

    static void single(ResultSet from, int column, Row row) throws SQLException {
        float value = from.getFloat(column);
        if (value == 0 && from.wasNull()) {
            row.addNull();
        } else if (Float.isFinite(value)) {
            addNumber(row, Float.toString(value));
        } else {
            row.add(Row.Kind.TEXT, Float.toString(value));
        }
    }

    /**
     * Adds {@code value} with as few digits as needed and without an exponent. NaN and infinities are added as text.
     */
    static void add(Row row, double value) {
        if (Double.isFinite(value)) {
            addNumber(row, Double.toString(value));
        } else {
            row.add(Row.Kind.TEXT, Double.toString(value));
        }
    }

    /** Adds the number {@code digits}, without an exponent, and without {@code .0} at its end. */
    static void addNumber(Row row, String digits) {
        if (digits.endsWith(".0")) {
            row.add(Row.Kind.NUMBER, digits.equals("-0.0") ? "0" : digits.substring(0, digits.length() - 2));
        } else if (digits.indexOf('E') < 0 && digits.indexOf('e') < 0) {
            row.add(Row.Kind.NUMBER, digits);
        } else {
            row.add(Row.Kind.NUMBER, new BigDecimal(digits).stripTrailingZeros().toPlainString());
        }
    }

    private static void bool(ResultSet from, int column, Row row) throws SQLException {
        boolean value = from.getBoolean(column);
        if (!value && from.wasNull()) {
            row.addNull();
        } else {
            row.add(value);
        }
    }

    static void text(ResultSet from, int column, Row row) throws SQLException {
        addText(row, from.getString(column));
    }

    static void bytes(ResultSet from, int column, Row row) throws SQLException {
        byte[] value = from.getBytes(column);
        if (value == null) {
            row.addNull();
        } else {
            row.add(Row.Kind.BYTES, value);
        }
    }

    private static void date(ResultSet from, int column, Row row) throws SQLException {
        LocalDate value = from.getObject(column, LocalDate.class);
        addText(row, value == null ? null : value.toString());
    }

    private static void time(ResultSet from, int column, Row row) throws SQLException {
        LocalTime value = from.getObject(column, LocalTime.class);
        addText(row, value == null ? null : DateTimeFormatter.ISO_LOCAL_TIME.format(value));
    }

    private static void offsetTime(ResultSet from, int column, Row row) throws SQLException {
        OffsetTime value = from.getObject(column, OffsetTime.class);
        addText(row, value == null ? null : DateTimeFormatter.ISO_OFFSET_TIME.format(value));
    }

    private static void timestamp(ResultSet from, int column, Row row) throws SQLException {
        LocalDateTime value = from.getObject(column, LocalDateTime.class);
        addText(row, value == null ? null : DateTimeFormatter.ISO_LOCAL_DATE_TIME.format(value));
    }

    private static void instant(ResultSet from, int column, Row row) throws SQLException {
        OffsetDateTime value = from.getObject(column, OffsetDateTime.class);
        addText(
                row,
                value == null
                        ? null
                        : DateTimeFormatter.ISO_OFFSET_DATE_TIME.format(value.withOffsetSameInstant(ZoneOffset.UTC)));
    }

    private static void addText(Row row, @Nullable String value) {
        if (value == null) {
            row.addNull();
        } else {
            row.add(Row.Kind.TEXT, value);
        }
    }
}
