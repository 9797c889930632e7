// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.BulkWriter;
import io.millrace.client.CommandSpec;
import io.millrace.client.Outcome;
import io.millrace.load.source.Row;
import io.millrace.load.target.HashImport;
import io.millrace.load.target.RowMapping;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * How the rows of one lane are written with {@code HIMPORT}, and which of them are to be written again without it.
 *
 * <p>DESIGN. A field set is prepared right before the first row that has it, without waiting for the answer: if the server
 * refuses it, the rows behind it are refused too. Whatever the error is, such a row was not written, and whether it can be is
 * for the ordinary way to say: it is written again, and the second outcome is the one that counts. With the first error the
 * lane is done with importing, so that no more than what was in flight is ever written twice.
 *
 * <p>Of rows of one key the last one must win, although an earlier one is now written later:
 *
 * <pre>
 *   sent       import k=1 | import k=2 | ordinary k=1
 *   outcome    refused    | ok         | ok
 *   sent again                                        ordinary k=1 | ordinary k=1
 * </pre>
 *
 * <p>So nothing more is sent until all that is in flight has its outcome; and what was sent behind a refused row of its key is
 * written again as well, even if it was acknowledged. Outcomes are told in the order in which rows were sent, and in that order
 * they are written again.
 *
 * <p>Belongs to the loading thread.
 */
final class Importing {

    private final RowMapping mapping;
    private final HashImport hashImport;

    /** The field sets that this connection was told of. */
    private final BitSet prepared = new BitSet();

    /** The field set of the row that is being written. */
    private int fieldSet = HashImport.NONE;

    private List<Row> again = new ArrayList<>();

    /** The keys of refused rows in {@link #again}; bounded by what can be in flight. */
    private PlaceSet refused = noPlaces();

    /** Rows that are written again although they were acknowledged. */
    private final Set<Row> acknowledged = new HashSet<>();

    private boolean over;

    /** Importing of {@code mapping}'s rows as {@code hashImport}, which is of that mapping, on one lane. */
    Importing(RowMapping mapping, HashImport hashImport) {
        this.mapping = mapping;
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

    /**
     * Whether {@code outcome} is not the last word on {@code row}, which is then one of {@link #takeAgain}. Uses the mapping.
     */
    boolean takesBack(Row row, CommandSpec<?> command, Outcome outcome) {
        boolean isRefused = command == HashImport.SET && outcome instanceof Outcome.Failed;
        if (isRefused) {
            over = true;
            mapping.prepare(row);
            refused.add(mapping);
        } else if (outcome instanceof Outcome.Ok && isBehindRefused(row)) {
            acknowledged.add(row);
        } else {
            return false;
        }
        again.add(row);
        return true;
    }

    private boolean isBehindRefused(Row row) {
        if (refused.size() == 0) {
            return false;
        }
        mapping.prepare(row);
        return refused.contains(mapping);
    }

    /** Whether rows wait to be written again. */
    boolean hasAgain() {
        return !again.isEmpty();
    }

    /** The rows to be written again, in this order and in the ordinary way; to be called when nothing is in flight. */
    List<Row> takeAgain() {
        List<Row> rows = again;
        again = new ArrayList<>();
        refused = noPlaces();
        return rows;
    }

    /** Begins the command that writes {@code row} in the ordinary way. */
    void beginAgain(Row row, BulkWriter writer) {
        mapping.prepare(row);
        mapping.write(row, writer.begin(mapping.command()));
    }

    /**
     * What {@code outcome}, the last word on {@code row}, says of it. Without a second acknowledgement a row that had one
     * already may be there or not, whatever became of its second command.
     */
    Outcome lastWord(Row row, Outcome outcome) {
        boolean mayBeThere = acknowledged.remove(row) && !(outcome instanceof Outcome.Ok);
        return mayBeThere ? new Outcome.TimedOut() : outcome;
    }

    private static PlaceSet noPlaces() {
        return new PlaceSet(Integer.MAX_VALUE, Long.MAX_VALUE);
    }
}
