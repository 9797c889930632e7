// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.BulkWriter;
import io.millrace.client.Outcome;
import io.millrace.client.command.CommandSpec;
import io.millrace.load.source.Row;
import io.millrace.load.target.RowMapping;
import org.jspecify.annotations.Nullable;

/**
 * Writes the rows of one connection: with {@code HIMPORT} where possible, otherwise with the commands of the mapping.
 * The first of these commands is complete, so that later commands can rely on its script. Confined to the loading
 * thread.
 */
final class RowWriter {

    private final RowMapping mapping;
    private final @Nullable HashImporter importing;
    private final IndividualRetry individualRetry;
    private final Recovery recovery;

    /** Whether a complete command was sent on this connection. */
    private boolean sentComplete;

    /**
     * Creates the writer of one connection.
     *
     * @param reads whether the commands of the mapping only read
     * @param mapping writes the rows
     * @param answers another mapping of the same target, for outcomes. The connection may receive the outcomes of earlier
     *     rows while it begins the command of a prepared row
     * @param importing null if the connection does not use {@code HIMPORT}
     * @param recovery the waits of the load for its server
     */
    RowWriter(
            boolean reads,
            RowMapping mapping,
            RowMapping answers,
            @Nullable HashImporter importing,
            Recovery recovery) {
        this.mapping = mapping;
        this.importing = importing;
        this.individualRetry = new IndividualRetry(reads, mapping, answers);
        this.recovery = recovery;
    }

    RowMapping mapping() {
        return mapping;
    }

    /** The rows of this connection that must be retried. */
    IndividualRetry individualRetry() {
        return individualRetry;
    }

    Recovery recovery() {
        return recovery;
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
        if (importing != null && importing.begin(row, writer)) {
            return;
        }
        if (sentComplete) {
            mapping.writeRepeated(row, writer.begin(mapping.repeatedCommand()));
        } else {
            beginComplete(row, writer);
        }
    }

    /**
     * Begins the retry of {@code row} with the complete command of the mapping, and adds the arguments of this command.
     * Prepares the mapping for {@code row}.
     */
    void beginRetry(Row row, BulkWriter writer) {
        mapping.prepare(row);
        beginComplete(row, writer);
    }

    private void beginComplete(Row row, BulkWriter writer) {
        sentComplete = true;
        mapping.write(row, writer.begin(mapping.command()));
    }

    /**
     * Whether {@code row} will be retried, so that {@code outcome} is not its final outcome.
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

    /** Called when the connection was replaced. The new connection has no field sets, and perhaps another server. */
    void connectionReplaced() {
        sentComplete = false;
        if (importing != null) {
            importing.connectionReplaced();
        }
    }
}
