// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.BulkWriter;
import io.millrace.client.Outcome;
import io.millrace.load.source.Row;
import io.millrace.load.target.HashImport;
import java.util.BitSet;

/**
 * Writes the rows of one connection with {@code HIMPORT}. This command sends the field names of hashes once, as a field
 * set, and then only the values of each row.
 *
 * <p>DESIGN. A command prepares each field set. The connection sends this command directly before the first row with
 * the field set, and does not wait for the reply. If the server refuses the field set, the server also refuses the rows
 * with this field set.
 *
 * <p>Confined to the loading thread.
 */
final class HashImporter implements RowImporter {

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

    /** Begins the command that prepares the field set of {@code row}. */
    @Override
    public boolean beginFieldSet(Row row, BulkWriter writer) {
        fieldSet = stopped ? HashImport.NONE : hashImport.fieldSet(row);
        if (fieldSet == HashImport.NONE || prepared.get(fieldSet)) {
            return false;
        }
        prepared.set(fieldSet);
        hashImport.writeFieldSet(fieldSet, writer.begin(HashImport.PREPARE));
        return true;
    }

    @Override
    public boolean begin(Row row, BulkWriter writer) {
        if (stopped || fieldSet == HashImport.NONE) {
            return false;
        }
        hashImport.write(row, fieldSet, writer.begin(HashImport.SET));
        return true;
    }

    @Override
    public boolean awaitsOutcome() {
        return false;
    }

    @Override
    public Outcome meaning(Outcome outcome) {
        return outcome;
    }

    /** Prepares each field set again before its next row, because the field sets of the lost connection are lost. */
    @Override
    public void connectionReplaced() {
        prepared.clear();
    }

    @Override
    public void stop() {
        stopped = true;
    }
}
