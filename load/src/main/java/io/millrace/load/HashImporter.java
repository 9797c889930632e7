// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.BulkWriter;
import io.millrace.load.source.Row;
import io.millrace.load.target.HashImport;
import java.util.BitSet;

/**
 * Writes the rows of one connection with {@code HIMPORT}.
 *
 * <p>DESIGN. The connection sends the command that prepares a field set directly before the first row with this field
 * set, and does not wait for the reply. If the server refuses the field set, the server also refuses the rows with this
 * field set. A refused row was not written, so it is retried with the command of the mapping ({@link IndividualRetry}).
 * After the first refused row the connection imports no more rows. So only rows that are in flight at that time are
 * sent twice.
 *
 * <p>Confined to the loading thread.
 */
final class HashImporter {

    private final HashImport hashImport;

    /** The numbers of the field sets that are prepared on this connection. */
    private final BitSet prepared = new BitSet();

    /** The field set of the row that is being written. */
    private int fieldSet = HashImport.NONE;

    private boolean stopped;

    /** Imports the rows of {@code hashImport} on one connection. */
    HashImporter(HashImport hashImport) {
        this.hashImport = hashImport;
    }

    /** Begins the command that prepares the field set of {@code row}. Returns false if no such command is needed. */
    boolean beginFieldSet(Row row, BulkWriter writer) {
        fieldSet = stopped ? HashImport.NONE : hashImport.fieldSet(row);
        if (fieldSet == HashImport.NONE || prepared.get(fieldSet)) {
            return false;
        }
        prepared.set(fieldSet);
        hashImport.writeFieldSet(fieldSet, writer.begin(HashImport.PREPARE));
        return true;
    }

    /**
     * Begins the command that imports {@code row}. Prepare the mapping for {@code row} and call {@link #beginFieldSet}
     * before this method. Returns false if {@code row} must be written with the command of the mapping.
     */
    boolean begin(Row row, BulkWriter writer) {
        if (stopped || fieldSet == HashImport.NONE) {
            return false;
        }
        hashImport.write(row, fieldSet, writer.begin(HashImport.SET));
        return true;
    }

    /** Stops importing, because the server has refused a row. */
    void stop() {
        stopped = true;
    }
}
