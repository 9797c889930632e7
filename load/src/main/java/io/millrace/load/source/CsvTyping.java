// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import io.millrace.load.source.Rejection.Reason;
import io.millrace.load.source.SourceException.Kind;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Ends the fields of a CSV file with the kinds of {@link CsvTypes}. */
final class CsvTyping {

    /** The length of the longest boolean, {@code false}. */
    private static final int MAX_BOOLEAN = 5;

    private static final int MAX_SHOWN = 40;

    private static final byte[] TRUE = "true".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] FALSE = "false".getBytes(StandardCharsets.US_ASCII);
    private static final List<String> YES = List.of("true", "t", "yes", "y", "1");
    private static final List<String> NO = List.of("false", "f", "no", "n", "0");

    private final List<Column> columns;
    private final boolean infer;
    private final CsvTypes.@Nullable Type[] types;

    private CsvTyping(List<Column> columns, CsvTypes wanted) {
        this.columns = columns;
        this.infer = wanted.infer();
        this.types = new CsvTypes.Type[columns.size()];
        for (int i = 0; i < types.length; i++) {
            types[i] = wanted.columns().get(columns.get(i).name());
        }
    }

    /**
     * Returns null if all values are text.
     *
     * @throws SourceException if there is no column for a type
     */
    static @Nullable CsvTyping of(String source, List<Column> columns, CsvTypes wanted) {
        List<String> names = columns.stream().map(Column::name).toList();
        for (Map.Entry<String, CsvTypes.Type> entry : wanted.columns().entrySet()) {
            if (!names.contains(entry.getKey())) {
                throw new SourceException(
                        Kind.UNUSABLE,
                        "cannot read %s: there is no column '%s' for the type %s. The columns are: %s."
                                .formatted(source, entry.getKey(), word(entry.getValue()), String.join(", ", names)));
            }
        }
        return wanted.equals(CsvTypes.TEXT) ? null : new CsvTyping(columns, wanted);
    }

    /** Ends the open value of {@code row}, which is the field of {@code column}. */
    void end(Row row, int column, boolean quoted) {
        CsvTypes.Type type = types[column];
        byte[] bytes = row.bytes();
        int start = row.openStart();
        int length = row.openLength();
        if (type == null) {
            row.end(infer && !quoted ? inferred(bytes, start, length) : Row.Kind.TEXT);
            return;
        }
        switch (type) {
            case TEXT -> row.end(Row.Kind.TEXT);
            case INT -> endNumber(row, column, type, isInt(bytes, start, length));
            case NUMBER -> endNumber(row, column, type, JsonNumber.matches(bytes, start, length));
            case BOOL -> endBoolean(row, column);
        }
    }

    private void endNumber(Row row, int column, CsvTypes.Type type, boolean matches) {
        if (matches) {
            row.end(Row.Kind.NUMBER);
        } else {
            endMismatch(row, column, type);
        }
    }

    private void endBoolean(Row row, int column) {
        String text = row.openLength() > MAX_BOOLEAN
                ? ""
                : new String(row.bytes(), row.openStart(), row.openLength(), StandardCharsets.ISO_8859_1)
                        .toLowerCase(Locale.ROOT);
        boolean yes = YES.contains(text);
        if (yes || NO.contains(text)) {
            row.truncateOpen(0);
            row.add(yes);
        } else {
            endMismatch(row, column, CsvTypes.Type.BOOL);
        }
    }

    /** Rejects the row. Its value stays in the row as text, for the rejects file. */
    private void endMismatch(Row row, int column, CsvTypes.Type type) {
        row.markOpenIncorrect();
        if (!row.isRejected()) {
            int length = Math.min(row.openLength(), MAX_SHOWN);
            row.reject(
                    Reason.UNREADABLE_VALUE,
                    "'%s' is not of type %s: '%s'"
                            .formatted(
                                    columns.get(column).name(),
                                    word(type),
                                    new String(row.bytes(), row.openStart(), length, StandardCharsets.UTF_8)));
        }
        row.end(Row.Kind.TEXT);
    }

    private static Row.Kind inferred(byte[] bytes, int start, int length) {
        if (JsonNumber.matches(bytes, start, length)) {
            return Row.Kind.NUMBER;
        }
        boolean isBoolean = Arrays.equals(bytes, start, start + length, TRUE, 0, TRUE.length)
                || Arrays.equals(bytes, start, start + length, FALSE, 0, FALSE.length);
        return isBoolean ? Row.Kind.BOOLEAN : Row.Kind.TEXT;
    }

    private static boolean isInt(byte[] bytes, int start, int length) {
        if (!JsonNumber.matches(bytes, start, length)) {
            return false;
        }
        for (int i = start; i < start + length; i++) {
            if (bytes[i] == '.' || bytes[i] == 'e' || bytes[i] == 'E') {
                return false;
            }
        }
        return true;
    }

    private static String word(CsvTypes.Type type) {
        return type.name().toLowerCase(Locale.ROOT);
    }
}
