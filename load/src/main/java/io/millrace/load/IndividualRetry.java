// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.Outcome;
import io.millrace.client.command.CommandSpec;
import io.millrace.load.source.Row;
import io.millrace.load.target.HashImport;
import io.millrace.load.target.Repetition;
import io.millrace.load.target.RowMapping;
import io.millrace.resp.Reply.ErrorReply;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The rows of one connection that are retried in separate commands. A row is retried in three cases: the server refused
 * its import, the server did not have its script, or the server refused a fused command and another row of this command
 * may have caused the error. The outcome of the retry is the outcome of the row.
 *
 * <p>DESIGN. If several rows have the same key, the last row must win. But a retry writes its row later, and could
 * overwrite a later row of the same key. So the later rows of a refused key are retried too, even if they were
 * acknowledged:
 *
 * <pre>
 *   sent       import k=1 | import k=2 | ordinary k=1
 *   outcome    refused    | ok         | ok
 *   retried                                           ordinary k=1 | ordinary k=1
 * </pre>
 *
 * <p>Here {@code import} is {@code HIMPORT}, {@code ordinary} is the command of the mapping, and {@code k} is the key.
 * If a repeated row would be added again, as in a list, or left out, no acknowledged row is retried: the retried row
 * then stands behind the later rows, or is left out.
 * Before the retries, the connection waits until every command in flight has its outcome. It sends no new row until the
 * retries are sent. Outcomes arrive in the order of the commands, and the rows are retried in the same order.
 *
 * <p>Confined to the loading thread.
 */
final class IndividualRetry {

    /** The code of the error for a script that the server does not have. Nothing was executed. */
    private static final String NO_SCRIPT = "NOSCRIPT";

    private final RowMapping mapping;

    private List<Row> retries = new ArrayList<>();

    /**
     * The places of the rows that the server has refused and that wait in {@link #retries}. The set needs no limit,
     * because it contains at most as many places as there were commands in flight.
     */
    private KeySet refused = emptySet();

    /** Rows that are retried although they were acknowledged. */
    private final Set<Row> acknowledged = new HashSet<>();

    IndividualRetry(RowMapping mapping) {
        this.mapping = mapping;
    }

    /**
     * Returns whether {@code row} must be retried. If so, a later call of {@link #takeRows} returns the row. This
     * method may prepare the mapping for {@code row}.
     */
    boolean needsRetry(Row row, CommandSpec<?> command, Outcome outcome) {
        if (outcome instanceof Outcome.Failed failed
                && (command == HashImport.SET
                        || lacksScript(command, failed.error())
                        || FusedError.mayBeOfAnotherRow(mapping, failed.error()))) {
            mapping.prepare(row);
            refused.add(mapping);
        } else if (outcome instanceof Outcome.Ok && followsRefused(row)) {
            acknowledged.add(row);
        } else {
            return false;
        }
        retries.add(row);
        return true;
    }

    /** Whether the server has refused {@code command} because it relies on a script that the server does not have. */
    private boolean lacksScript(CommandSpec<?> command, ErrorReply error) {
        return command == mapping.repeatedCommand()
                && command != mapping.command()
                && error.code().equals(NO_SCRIPT);
    }

    private boolean followsRefused(Row row) {
        if (refused.size() == 0 || mapping.repetition() != Repetition.CHANGES_NOTHING) {
            return false;
        }
        mapping.prepare(row);
        return refused.contains(mapping);
    }

    /** Whether there are rows to retry. */
    boolean hasRows() {
        return !retries.isEmpty();
    }

    /**
     * Removes and returns the rows to retry, in the order in which the caller must send them. The caller calls this
     * method only when no command is in flight.
     */
    List<Row> takeRows() {
        List<Row> rows = retries;
        retries = new ArrayList<>();
        refused = emptySet();
        return rows;
    }

    /**
     * The outcome to record for {@code row}. {@code outcome} is the outcome of the last attempt. If the server
     * acknowledged the first attempt but not the retry, the row may or may not be in Redis. Such a row is unconfirmed.
     */
    Outcome finalOutcome(Row row, Outcome outcome) {
        boolean isUnconfirmed = acknowledged.remove(row) && !(outcome instanceof Outcome.Ok);
        return isUnconfirmed ? new Outcome.TimedOut() : outcome;
    }

    private static KeySet emptySet() {
        return new KeySet(Integer.MAX_VALUE, Long.MAX_VALUE);
    }
}
