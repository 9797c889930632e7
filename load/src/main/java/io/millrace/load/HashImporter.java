// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.BulkWriter;
import io.millrace.load.source.Row;
import io.millrace.load.target.HashImport;
import java.util.BitSet;

/**
 * Writes the rows of one connection with {@code HIMPORT}. This command sends the field names of hashes once, as a field
 * set, and then only the values of each row.
 *
 * <p>DESIGN. A command prepares each field set. The connection sends this command directly before the first row with
 * the field set, and does not wait for the reply. If the server refuses the field set, the server also refuses the rows
 * with this field set. A refused row was not written, so it is retried with the command of the mapping ({@link
 * IndividualRetry}). After the first refused row the connection imports no more rows. So only the rows that are in
 * flight at that time are sent a second time.
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

    /** Creates the importer of one connection. {@code hashImport} encodes its commands. */
    HashImporter(HashImport hashImport) {
        this.hashImport = hashImport;
    }

    /**
     * Begins the command that prepares the field set of {@code row}. Returns false if this connection has already
     * prepared the field set, or if {@code row} is not imported.
     */
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
     * Begins the command that imports {@code row}. Returns false if {@code row} must be written with the command of the
     * mapping instead. Before this method, the caller prepares the mapping for {@code row} and calls {@link
     * #beginFieldSet}.
     */
    boolean begin(Row row, BulkWriter writer) {
        if (stopped || fieldSet == HashImport.NONE) {
            return false;
        }
        hashImport.write(row, fieldSet, writer.begin(HashImport.SET));
        return true;
    }

    /** Prepares each field set again before its next row, because the field sets of the lost connection are lost. */
    void connectionReplaced() {
        prepared.clear();
    }

    /** Stops importing, because the server has refused a row. */
    void stop() {
        stopped = true;
    }
}
