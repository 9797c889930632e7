// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.client.ArgumentSink;
import io.millrace.load.PlanException;
import io.millrace.load.Rejection;
import io.millrace.load.source.Row;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.IntStream;

/** The columns of a row that are written, each under its own name: all of them, or as {@code fields} and {@code exclude} say. */
final class WrittenColumns {

    private static final byte[] NOTHING = {};

    private final int[] indexes;
    private final boolean nullIsWritten;
    private final byte[] nullText;

    WrittenColumns(Target target, ColumnNames names) {
        IntStream excluded = target.exclude().stream().mapToInt(name -> names.indexOf(name, "exclude=" + name));
        int[] left = excluded.sorted().toArray();
        IntStream wanted = target.fields().isEmpty()
                ? IntStream.range(0, names.size())
                : target.fields().stream().mapToInt(name -> names.indexOf(name, "fields=" + target.fields()));
        indexes = wanted.filter(column -> Arrays.binarySearch(left, column) < 0).toArray();
        if (indexes.length == 0) {
            throw new PlanException("no column is left to write: exclude=" + target.exclude() + ", " + names
                    + ". Exclude fewer columns.");
        }
        for (int column : indexes) {
            names.refuseTwins(column, "type=" + target.type().code());
        }
        nullIsWritten = target.nullText().isPresent();
        nullText = target.nullText()
                .map(text -> text.getBytes(StandardCharsets.UTF_8))
                .orElse(NOTHING);
    }

    /** How many columns there are; each is a column of the row by {@link #column}. */
    int size() {
        return indexes.length;
    }

    /** The {@code i}-th of these, as a column of the row. */
    int column(int i) {
        return indexes[i];
    }

    /** Whether {@code column} of {@code row} is written, be it as the text for NULL. */
    boolean isWritten(Row row, int column) {
        return nullIsWritten || !row.isNull(column);
    }

    /** Gives the value of {@code column} of {@code row} to {@code sink}; nothing if it is not written. */
    void writeValue(Row row, int column, ArgumentSink sink) {
        if (!row.isNull(column)) {
            sink.arg(row.bytes(), row.start(column), row.length(column));
        } else if (nullIsWritten) {
            sink.arg(nullText);
        }
    }

    /** What is written for NULL. */
    byte[] nullText() {
        return nullText;
    }

    /** How many values {@code row} has to write. */
    int count(Row row) {
        int count = 0;
        for (int column : indexes) {
            if (isWritten(row, column)) {
                count++;
            }
        }
        return count;
    }

    /** Why nothing of {@code row} can be written; empty if something can. */
    Optional<Rejection> absence(Row row) {
        for (int column : indexes) {
            if (isWritten(row, column)) {
                return Optional.empty();
            }
        }
        return Optional.of(new Rejection(
                Rejection.Reason.NO_VALUE, "nothing to write: columns=" + indexes.length + " (all of them NULL)"));
    }
}
