// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.BulkWriter;
import io.millrace.client.Outcome;
import io.millrace.client.command.CommandSpec;
import io.millrace.load.source.Row;
import io.millrace.load.target.RowMapping;
import org.jspecify.annotations.Nullable;

/**
 * Writes the rows of one connection: with {@code HIMPORT} where possible, otherwise with the command of the mapping.
 * Confined to the loading thread.
 *
 * @param importing null if the connection does not use {@code HIMPORT}
 * @param individualRetry the rows to retry
 */
record RowWriter(RowMapping mapping, @Nullable HashImporter importing, IndividualRetry individualRetry) {

    static RowWriter of(RowMapping mapping, @Nullable HashImporter hashImporter) {
        return new RowWriter(mapping, hashImporter, new IndividualRetry(mapping));
    }

    /**
     * Begins the command that must precede the command of {@code row}, and adds its arguments. Returns false if {@code
     * row} needs no such command.
     */
    boolean beginFieldSet(Row row, BulkWriter writer) {
        return importing != null && importing.beginFieldSet(row, writer);
    }

    /** Begins the command of {@code row}, which the mapping has prepared, and adds its arguments. */
    void begin(Row row, BulkWriter writer) {
        if (importing == null || !importing.begin(row, writer)) {
            mapping.write(row, writer.begin(mapping.command()));
        }
    }

    /** Begins the command of the mapping for a row that is retried, and adds its arguments. Prepares the mapping. */
    void beginRetry(Row row, BulkWriter writer) {
        mapping.prepare(row);
        mapping.write(row, writer.begin(mapping.command()));
    }

    /** Whether {@code row} will be retried, so that {@code outcome} is not final. May prepare the mapping. */
    boolean needsRetry(Row row, CommandSpec<?> command, Outcome outcome) {
        boolean again = individualRetry.needsRetry(row, command, outcome);
        if (again && importing != null) {
            importing.stop();
        }
        return again;
    }
}
