// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import io.millrace.load.source.Rejection.Reason;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The columns of a JSON input, and for each column the index of its value among the values of the current record.
 * Confined to one thread.
 */
final class JsonColumns {

    private static final int MISSING = -1;
    private static final byte[] BASE64_BEGIN = "{\"base64\":\"".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] BASE64_END = "\"}".getBytes(StandardCharsets.US_ASCII);

    private final List<Column> columns;
    private final JsonPaths paths;
    private final boolean rejects;
    /** For each column, and in a rejects file also for the whole row and the lists of cut and incorrect values. */
    private final int[] valueOf;

    private JsonColumns(List<Column> columns, JsonPaths paths, boolean rejects) {
        this.columns = columns;
        this.paths = paths;
        this.rejects = rejects;
        this.valueOf = new int[columns.size() + 3];
    }

    /**
     * Columns of records.
     *
     * @param strict whether a member that belongs to no column rejects its row
     */
    static JsonColumns of(List<Column> columns, boolean strict) {
        return new JsonColumns(columns, JsonPaths.of(columns, strict), false);
    }

    /** Columns of the rejected rows in a rejects file. */
    static JsonColumns ofRejects(List<Column> columns) {
        return new JsonColumns(columns, JsonPaths.ofRejects(columns), true);
    }

    List<Column> columns() {
        return columns;
    }

    JsonPaths paths() {
        return paths;
    }

    /** The name of a column, for messages. */
    String name(int column) {
        if (column < columns.size()) {
            return columns.get(column).name();
        }
        return List.of("row", "cut", "incorrect").get(column - columns.size());
    }

    /** Forgets the values of the last record. */
    void clear() {
        Arrays.fill(valueOf, MISSING);
    }

    /** Sets the index of the value of {@code column}. Returns false if the column already has a value. */
    boolean set(int column, int value) {
        boolean first = valueOf[column] == MISSING;
        valueOf[column] = value;
        return first;
    }

    /**
     * Adds an object or an array. In a rejects file, an object such as <code>{"base64":"AP8="}</code> is a binary
     * value.
     */
    void addNested(Row values, byte[] bytes, int start, int end) {
        byte[] decoded = rejects ? decoded(bytes, start, end) : null;
        if (decoded == null) {
            values.add(Row.Kind.JSON, bytes, start, end - start);
        } else {
            values.add(Row.Kind.BYTES, decoded);
        }
    }

    /** Adds the value of each column to {@code row}. A column without a value is NULL. */
    void addTo(Row row, Row values) {
        for (int column = 0; column < columns.size(); column++) {
            int value = valueOf[column];
            if (value == MISSING || values.isNull(value)) {
                row.addNull();
            } else {
                row.add(values.kind(value), values.bytes(), values.start(value), values.length(value));
            }
        }
    }

    /** Returns why a line of a rejects file cannot be loaded; null if it can be loaded. */
    @Nullable
    Rejection refusal(Row values) {
        if (!rejects) {
            return null;
        }
        int row = valueOf[columns.size()];
        if (row == MISSING) {
            return new Rejection(
                    Reason.NO_VALUE,
                    "this line names rows without their values, as for unconfirmed rows. Load these rows from their "
                            + "source again");
        }
        if (valueOf[columns.size() + 1] != MISSING) {
            return new Rejection(
                    Reason.FIELD_TOO_LONG,
                    "the rejects file has only the beginning of a value. Complete the value, and remove the member 'cut', "
                            + "or load the row from its source");
        }
        if (values.kind(row) != Row.Kind.JSON || values.bytes()[values.start(row)] != '{') {
            return new Rejection(
                    Reason.MALFORMED_JSON,
                    "the values of this rejected row do not fit the columns. Correct its member 'row': it must be an "
                            + "object with a member for each column");
        }
        int incorrect = valueOf[columns.size() + 2];
        return incorrect == MISSING
                ? null
                : new Rejection(
                        Reason.UNREADABLE_VALUE,
                        "these columns of the rejected row have no correct values: " + values.text(incorrect)
                                + ". Correct the values, and remove the member 'incorrect', or load the row from its source");
    }

    /** The bytes of a base64 object as the rejects file contains it; null if the value is another object. */
    private static byte @Nullable [] decoded(byte[] bytes, int start, int end) {
        int from = start + BASE64_BEGIN.length;
        int to = end - BASE64_END.length;
        if (from > to
                || !Arrays.equals(bytes, start, from, BASE64_BEGIN, 0, BASE64_BEGIN.length)
                || !Arrays.equals(bytes, to, end, BASE64_END, 0, BASE64_END.length)) {
            return null;
        }
        try {
            return Base64.getDecoder().decode(Arrays.copyOfRange(bytes, from, to));
        } catch (IllegalArgumentException notBase64) {
            return null;
        }
    }
}
