// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import io.millrace.load.source.Rejection.Reason;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;

/**
 * Readers for PostgreSQL columns, from the text format of the server.
 *
 * <p>The text is UTF-8 and close to the needed format: {@code 42}, {@code 199.50}, {@code 2026-11-21 12:00:00+00}. So
 * the readers copy the bytes of the text with few changes. They create no object and no string for a value. {@link
 * SqlDialect} configures the connection to send text, and times in UTC. Values without an ISO 8601 format, such as
 * {@code infinity} and years BC, keep the PostgreSQL format. If the type of a column is a domain, the driver reports
 * the base type of the domain.
 */
final class PostgresColumns {

    private static final byte[] UTC = {'Z'};
    private static final byte[] NO_MINUTES = {':', '0', '0'};
    private static final byte[] DATE_TIME = {'T'};

    private PostgresColumns() {}

    static ColumnReader of(ResultSetMetaData meta, int column) throws SQLException {
        String label = meta.getColumnLabel(column);
        return switch (meta.getColumnTypeName(column)) {
            case "int2", "int4", "int8", "oid", "serial", "bigserial", "smallserial", "numeric" ->
                PostgresColumns::number;
            case "float4", "float8" -> PostgresColumns::floating;
            case "bool" -> PostgresColumns::bool;
            case "bytea" -> ColumnReaders::bytes;
            case "timestamp" -> PostgresColumns::timestamp;
            case "timestamptz" -> PostgresColumns::instant;
            case "timetz" -> PostgresColumns::offsetTime;
            case "json", "jsonb" -> (from, at, row) -> text(from, at, row, label, Row.Kind.JSON);
            default -> (from, at, row) -> text(from, at, row, label, Row.Kind.TEXT);
        };
    }

    private static void number(ResultSet from, int column, Row row) throws SQLException {
        byte[] text = from.getBytes(column);
        if (text == null) {
            row.addNull();
        } else {
            // NaN, Infinity and -Infinity end in a letter.
            row.add(isDigit(text[text.length - 1]) ? Row.Kind.NUMBER : Row.Kind.TEXT, text);
        }
    }

    private static void floating(ResultSet from, int column, Row row) throws SQLException {
        byte[] text = from.getBytes(column);
        if (text == null) {
            row.addNull();
            return;
        }
        for (byte b : text) {
            if (b == 'e' && isDigit(text[text.length - 1])) {
                ColumnReaders.addNumber(row, new String(text, StandardCharsets.US_ASCII));
                return;
            }
        }
        boolean negativeZero = text.length == 2 && text[0] == '-' && text[1] == '0';
        if (negativeZero) {
            row.add(0);
        } else {
            row.add(isDigit(text[text.length - 1]) ? Row.Kind.NUMBER : Row.Kind.TEXT, text);
        }
    }

    private static void bool(ResultSet from, int column, Row row) throws SQLException {
        byte[] text = from.getBytes(column);
        if (text == null) {
            row.addNull();
        } else {
            row.add(text[0] == 't');
        }
    }

    private static void timestamp(ResultSet from, int column, Row row) throws SQLException {
        byte[] text = from.getBytes(column);
        if (text == null) {
            row.addNull();
            return;
        }
        int space = isDigit(text[text.length - 1]) ? space(text) : -1;
        appendTimestamp(row, text, space, text.length);
        row.end(Row.Kind.TEXT);
    }

    private static void instant(ResultSet from, int column, Row row) throws SQLException {
        byte[] text = from.getBytes(column);
        if (text == null) {
            row.addNull();
            return;
        }
        int zone = text.length - 3;
        boolean utc = zone > 0 && text[zone] == '+' && text[zone + 1] == '0' && text[zone + 2] == '0';
        appendTimestamp(row, text, utc ? space(text) : -1, utc ? zone : text.length);
        if (utc) {
            row.append(UTC, 0, 1);
        }
        row.end(Row.Kind.TEXT);
    }

    private static void offsetTime(ResultSet from, int column, Row row) throws SQLException {
        byte[] text = from.getBytes(column);
        if (text == null) {
            row.addNull();
            return;
        }
        row.append(text, 0, text.length);
        byte sign = text[text.length - 3];
        if (sign == '+' || sign == '-') {
            row.append(NO_MINUTES, 0, NO_MINUTES.length);
        }
        row.end(Row.Kind.TEXT);
    }

    private static void text(ResultSet from, int column, Row row, String label, Row.Kind kind) throws SQLException {
        byte[] text = from.getBytes(column);
        if (text == null) {
            row.addNull();
            return;
        }
        // A database with the encoding SQL_ASCII does not validate text.
        if (Utf8.hasNonAscii(text, 0, text.length) && Utf8.firstBad(text, 0, text.length) >= 0) {
            row.markOpenIncorrect();
            row.reject(Reason.NOT_UTF8, "'%s' is not UTF-8".formatted(label));
        }
        row.add(kind, text);
    }

    /**
     * Appends the first {@code length} bytes of {@code text}, a timestamp. If {@code space} is not negative, a T
     * replaces the byte at {@code space}.
     */
    private static void appendTimestamp(Row row, byte[] text, int space, int length) {
        if (space < 0) {
            row.append(text, 0, length);
            return;
        }
        row.append(text, 0, space);
        row.append(DATE_TIME, 0, 1);
        row.append(text, space + 1, length - space - 1);
    }

    private static int space(byte[] text) {
        for (int i = 0; i < text.length; i++) {
            if (text[i] == ' ') {
                return i;
            }
        }
        return -1;
    }

    private static boolean isDigit(byte b) {
        return b >= '0' && b <= '9';
    }
}
