// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.BulkWriter;
import io.millrace.client.Outcome;
import io.millrace.load.source.Row;

/**
 * Imports the rows of one connection: writes them with another command than the command of the mapping, because this
 * costs less. If the server refuses the import of a row, the row was not written, and is retried with the command of the
 * mapping ({@link IndividualRetry}). After the first refused row the connection imports no more rows. So only the rows
 * that are in flight at that time are sent a second time.
 *
 * <p>Confined to the loading thread.
 */
sealed interface RowImporter permits HashImporter, HashRestorer {

    /**
     * Begins a command that must be sent before the import of {@code row}, and adds its arguments. Returns false if there
     * is no such command, or if it was sent.
     */
    boolean beginFieldSet(Row row, BulkWriter writer);

    /**
     * Begins the command that imports {@code row}, and adds its arguments. Returns false if {@code row} must be written
     * with the command of the mapping instead. Before this method, the caller prepares the mapping for {@code row} and
     * calls {@link #beginFieldSet}.
     */
    boolean begin(Row row, BulkWriter writer);

    /** Whether the caller must wait for the outcome of the row that has begun, before it begins another row. */
    boolean awaitsOutcome();

    /** The meaning of {@code outcome}, the outcome of an import, for its row. */
    Outcome meaning(Outcome outcome);

    /** Called when the connection was replaced, perhaps by a connection to another server. */
    void connectionReplaced();

    /** Stops importing, because the server has refused a row. */
    void stop();
}
