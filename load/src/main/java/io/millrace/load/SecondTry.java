// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.CommandSpec;
import io.millrace.client.Outcome;
import io.millrace.load.source.Row;
import io.millrace.load.target.HashImport;
import io.millrace.load.target.RowMapping;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Which rows of one lane are to be written again, because what was refused may not have been theirs: an import, or a command that
 * stood for several rows. Now each has its own, in the ordinary way, and that outcome is the one that counts.
 *
 * <p>DESIGN. Of rows of one key the last one must win, although an earlier one is now written later:
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
final class SecondTry {

    private final RowMapping mapping;

    private List<Row> again = new ArrayList<>();

    /** The keys of refused rows in {@link #again}; bounded by what can be in flight. */
    private PlaceSet refused = noPlaces();

    /** Rows that are written again although they were acknowledged. */
    private final Set<Row> acknowledged = new HashSet<>();

    SecondTry(RowMapping mapping) {
        this.mapping = mapping;
    }

    /** Whether {@code outcome} is not the last word on {@code row}, which is then one of {@link #takeRows}. Uses the mapping. */
    boolean takesBack(Row row, CommandSpec<?> command, Outcome outcome) {
        if (outcome instanceof Outcome.Failed failed
                && (command == HashImport.SET || FusedError.mayBeOfAnotherRow(mapping, failed.error()))) {
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
    boolean hasRows() {
        return !again.isEmpty();
    }

    /** The rows to be written again, in this order; to be called when nothing is in flight. */
    List<Row> takeRows() {
        List<Row> rows = again;
        again = new ArrayList<>();
        refused = noPlaces();
        return rows;
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
