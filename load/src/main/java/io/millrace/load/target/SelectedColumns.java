// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.client.command.ArgumentSink;
import io.millrace.load.source.Rejection;
import io.millrace.load.source.Row;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.IntStream;

/** A column selection that is bound to the columns of a source. */
final class SelectedColumns {

    private static final byte[] NOTHING = {};

    private final int[] indexes;
    private final boolean nullIsWritten;
    private final boolean nullIsJson;
    private final byte[] nullText;

    SelectedColumns(Target target, ColumnSelection selection, ColumnNames names) {
        IntStream excluded = selection.exclude().stream().mapToInt(name -> names.indexOf(name, "exclude=" + name));
        int[] excludedIndexes = excluded.sorted().toArray();
        IntStream selected = selection.fields().isEmpty()
                ? IntStream.range(0, names.size())
                : selection.fields().stream().mapToInt(name -> names.indexOf(name, "fields=" + selection.fields()));
        indexes = selected.filter(column -> Arrays.binarySearch(excludedIndexes, column) < 0)
                .toArray();
        if (indexes.length == 0) {
            throw new PlanException("no column is left to write: exclude=" + selection.exclude() + ", " + names
                    + ". Exclude fewer columns.");
        }
        for (int column : indexes) {
            names.refuseTwins(column, "type=" + target.type());
        }
        nullIsWritten = target.options().nullText().isPresent();
        nullIsJson = target.options().jsonNull();
        nullText = target.options()
                .nullText()
                .map(text -> text.getBytes(StandardCharsets.UTF_8))
                .orElse(NOTHING);
    }

    /** The number of written columns. */
    int size() {
        return indexes.length;
    }

    /** The index in the row of the {@code i}-th written column. */
    int column(int i) {
        return indexes[i];
    }

    /** Whether {@code column} of {@code row} is written: it is not NULL, or there is a text for NULL. */
    boolean isWritten(Row row, int column) {
        return nullIsWritten || !row.isNull(column);
    }

    /** Writes the value of {@code column} of {@code row} to {@code sink}, or nothing if the column is not written. */
    void writeValue(Row row, int column, ArgumentSink sink) {
        if (!row.isNull(column)) {
            sink.arg(row.bytes(), row.start(column), row.length(column));
        } else if (nullIsWritten) {
            sink.arg(nullText);
        }
    }

    /** Whether a JSON document contains the JSON value {@code null} for NULL, and not a string. */
    boolean nullIsJson() {
        return nullIsJson;
    }

    /** The text for NULL; empty if there is none. */
    byte[] nullText() {
        return nullText;
    }

    /** The number of values of {@code row} that are written. */
    int count(Row row) {
        int count = 0;
        for (int column : indexes) {
            if (isWritten(row, column)) {
                count++;
            }
        }
        return count;
    }

    /** A rejection if no value of {@code row} can be written. */
    Optional<Rejection> checkValue(Row row) {
        for (int column : indexes) {
            if (isWritten(row, column)) {
                return Optional.empty();
            }
        }
        return Optional.of(new Rejection(
                Rejection.Reason.NO_VALUE, "nothing to write: columns=" + indexes.length + " (all columns are NULL)"));
    }
}
