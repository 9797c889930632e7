// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.BulkWriter;
import io.millrace.client.Outcome;
import io.millrace.client.command.CommandSpec;
import io.millrace.load.source.Row;
import io.millrace.load.target.RowMapping;
import org.jspecify.annotations.Nullable;

/**
 * Writes the rows of one connection: imports them where possible, otherwise uses the commands of the mapping.
 * The first of these commands is complete, so that later commands can rely on its script. Confined to the loading
 * thread.
 */
final class RowWriter {

    private final RowMapping mapping;
    private final @Nullable RowImporter importing;
    private final IndividualRetry individualRetry;
    private final Recovery recovery;
    private final @Nullable FailoverWatch failovers;

    /** Whether a complete command was sent on this connection. */
    private boolean sentComplete;

    /**
     * Creates the writer of one connection.
     *
     * @param reads whether the commands of the mapping only read
     * @param mapping writes the rows
     * @param answers another mapping of the same target, for outcomes. The connection may receive the outcomes of earlier
     *     rows while it begins the command of a prepared row
     * @param importing null if the connection does not import rows
     * @param recovery the waits of the load for its server
     * @param failovers finds the acknowledged rows that a failover may have taken back; null if nothing is written
     */
    RowWriter(
            boolean reads,
            RowMapping mapping,
            RowMapping answers,
            @Nullable RowImporter importing,
            Recovery recovery,
            @Nullable FailoverWatch failovers) {
        this.failovers = failovers;
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

    /** Finds the acknowledged rows that a failover may have taken back; null if the connection writes nothing. */
    @Nullable
    FailoverWatch failovers() {
        return failovers;
    }

    /**
     * Begins the command that must be sent before {@code row}, and adds the arguments of this command. Returns false if
     * {@code row} needs no such command.
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

    /** Whether the connection must wait for the outcome of the row that has begun, before it begins another row. */
    boolean awaitsOutcome() {
        return importing != null && importing.awaitsOutcome();
    }

    private void beginComplete(Row row, BulkWriter writer) {
        sentComplete = true;
        mapping.write(row, writer.begin(mapping.command()));
    }

    /** The meaning of {@code outcome}, the outcome of {@code command}, for its row. */
    Outcome meaning(CommandSpec<?> command, Outcome outcome) {
        return importing != null && IndividualRetry.isImport(command) ? importing.meaning(outcome) : outcome;
    }

    /**
     * Whether {@code row} will be retried, so that {@code outcome} is not its final outcome.
     *
     * @param recovering whether the connection waits for its server
     */
    boolean needsRetry(Row row, CommandSpec<?> command, Outcome outcome, boolean recovering) {
        boolean again = individualRetry.needsRetry(row, command, outcome, recovering);
        if (again && importing != null && !recovering && IndividualRetry.isImport(command)) {
            importing.stop();
        }
        return again;
    }

    /** Called when the connection was replaced. The new connection perhaps has another server. */
    void connectionReplaced() {
        sentComplete = false;
        if (importing != null) {
            importing.connectionReplaced();
        }
    }
}
