// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.BulkWriter;
import io.millrace.load.source.Row;
import io.millrace.load.target.HashImport;
import java.util.BitSet;

/**
 * How the rows of one lane are written with {@code HIMPORT}.
 *
 * <p>DESIGN. A field set is prepared right before the first row that has it, without waiting for the answer: if the server
 * refuses it, the rows behind it are refused too. Whatever the error is, such a row was not written, and whether it can be is
 * for the ordinary way to say: it gets a {@link SecondTry}. With the first error the lane is done with importing, so that no
 * more than what was in flight is ever written twice.
 *
 * <p>Belongs to the loading thread.
 */
final class Importing {

    private final HashImport hashImport;

    /** The field sets that this connection was told of. */
    private final BitSet prepared = new BitSet();

    /** The field set of the row that is being written. */
    private int fieldSet = HashImport.NONE;

    private boolean over;

    /** Importing of rows as {@code hashImport} on one lane. */
    Importing(HashImport hashImport) {
        this.hashImport = hashImport;
    }

    /** Begins the command that prepares the field set of {@code row}; returns false if it is not needed. */
    boolean beginFieldSet(Row row, BulkWriter writer) {
        fieldSet = over ? HashImport.NONE : hashImport.fieldSet(row);
        if (fieldSet == HashImport.NONE || prepared.get(fieldSet)) {
            return false;
        }
        prepared.set(fieldSet);
        hashImport.writeFieldSet(fieldSet, writer.begin(HashImport.PREPARE));
        return true;
    }

    /**
     * Begins the command that imports {@code row}, which the mapping has prepared and {@link #beginFieldSet} was asked for;
     * returns false if it goes the ordinary way.
     */
    boolean begin(Row row, BulkWriter writer) {
        if (over || fieldSet == HashImport.NONE) {
            return false;
        }
        hashImport.write(row, fieldSet, writer.begin(HashImport.SET));
        return true;
    }

    /** The server has refused a row: no more are imported. */
    void end() {
        over = true;
    }
}
