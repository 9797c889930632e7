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
 * @param individualRetry keeps the rows of this connection that must be retried
 * @param recovery the waits of the load for its server
 */
record RowWriter(
        RowMapping mapping, @Nullable HashImporter importing, IndividualRetry individualRetry, Recovery recovery) {

    static RowWriter of(RowMapping mapping, @Nullable HashImporter hashImporter, Recovery recovery) {
        return new RowWriter(mapping, hashImporter, new IndividualRetry(mapping), recovery);
    }

    /**
     * Begins the command that prepares the field set of {@code row}, and adds the arguments of this command. Returns
     * false if {@code row} needs no such command.
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

    /**
     * Begins the retry of {@code row} with the command of the mapping, and adds the arguments of this command. Prepares
     * the mapping for {@code row}.
     */
    void beginRetry(Row row, BulkWriter writer) {
        mapping.prepare(row);
        mapping.write(row, writer.begin(mapping.command()));
    }

    /**
     * Whether {@code row} will be retried, so that {@code outcome} is not its final outcome. This method may prepare
     * the mapping for {@code row}.
     *
     * @param recovering whether the connection waits for its server
     */
    boolean needsRetry(Row row, CommandSpec<?> command, Outcome outcome, boolean recovering) {
        boolean again = individualRetry.needsRetry(row, command, outcome, recovering);
        if (again && importing != null && !recovering) {
            importing.stop();
        }
        return again;
    }

    /** Called when the connection was replaced. The new connection has no field sets. */
    void connectionReplaced() {
        if (importing != null) {
            importing.connectionReplaced();
        }
    }
}
