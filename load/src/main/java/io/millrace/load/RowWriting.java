// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.BulkWriter;
import io.millrace.client.CommandSpec;
import io.millrace.client.Outcome;
import io.millrace.load.source.Row;
import io.millrace.load.target.RowMapping;
import org.jspecify.annotations.Nullable;

/**
 * How one lane writes rows: imported where that is possible, otherwise by the command of their mapping. Belongs to the loading
 * thread.
 *
 * @param importing null if nothing is imported
 * @param secondTry which rows are written again
 */
record RowWriting(RowMapping mapping, @Nullable Importing importing, SecondTry secondTry) {

    static RowWriting of(RowMapping mapping, @Nullable Importing importing) {
        return new RowWriting(mapping, importing, new SecondTry(mapping));
    }

    /** Begins a command that is needed before that of {@code row}, and gives it its arguments; returns false if none is. */
    boolean beginFieldSet(Row row, BulkWriter writer) {
        return importing != null && importing.beginFieldSet(row, writer);
    }

    /** Begins the command of {@code row}, which the mapping has prepared, and gives it its arguments. */
    void begin(Row row, BulkWriter writer) {
        if (importing == null || !importing.begin(row, writer)) {
            mapping.write(row, writer.begin(mapping.command()));
        }
    }

    /** The same for a row that is written again: in the ordinary way. Prepares it. */
    void beginAgain(Row row, BulkWriter writer) {
        mapping.prepare(row);
        mapping.write(row, writer.begin(mapping.command()));
    }

    /** Whether {@code outcome} is not the last word on {@code row}. Uses the mapping. */
    boolean takesBack(Row row, CommandSpec<?> command, Outcome outcome) {
        boolean again = secondTry.takesBack(row, command, outcome);
        if (again && importing != null) {
            importing.end();
        }
        return again;
    }
}
