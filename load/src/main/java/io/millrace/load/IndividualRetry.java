// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.Outcome;
import io.millrace.client.command.CommandSpec;
import io.millrace.load.source.Row;
import io.millrace.load.target.HashImport;
import io.millrace.load.target.HashRestore;
import io.millrace.load.target.Repetition;
import io.millrace.load.target.RowMapping;
import io.millrace.resp.Reply.ErrorReply;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rows of one connection that are retried in separate commands. A row is retried in these cases:
 *
 * <ul>
 *   <li>the server refused its import;
 *   <li>the server did not have its script;
 *   <li>the server refused a fused command, and another row of this command may have caused the error;
 *   <li>the server refused the row with a {@linkplain ServerError#isTemporary temporary error};
 *   <li>the connection was lost before the whole command of the row was sent;
 *   <li>the connection was lost, and writing the row twice changes nothing;
 *   <li>the connection was lost, and the command only reads the row back.
 * </ul>
 *
 * <p>In most cases the row was certainly not written by this command, and the outcome of the retry is the outcome of the
 * row. If the command may have written the row, and the retry does not write it, the row is unconfirmed.
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
 * <p>Here {@code import} is {@code HIMPORT} or {@code RESTORE}, {@code ordinary} is the command of the mapping, and {@code k} is the key.
 * If a repeated row would be added again, as in a list, or left out, no acknowledged row is retried. The retried row
 * then stands behind the later rows, or is left out.
 *
 * <p>Before the retries, the connection waits until every command in flight has its outcome. It sends no new row until
 * the retries have their outcomes. Outcomes arrive in the order of the commands, and the rows are retried in the same
 * order. So the number of retries is at most the number of commands in flight.
 *
 * <p>Confined to the loading thread.
 */
final class IndividualRetry {

    /** The code of the error for a script that the server does not have. Nothing was executed. */
    private static final String NO_SCRIPT = "NOSCRIPT";

    private static final Outcome NEVER_RETRIED = new Outcome.Lost(false, "the load has stopped");

    /**
     * A row that waits for its retry.
     *
     * @param outcome outcome of the last attempt
     */
    record Refused(Row row, Outcome outcome) {}

    /** Receives the final outcome of a row. */
    interface FinalOutcome {
        void of(Row row, Outcome outcome);
    }

    private final RowMapping mapping;

    /** Computes the places of rows with an outcome. {@link #mapping} holds the state of the row that is being sent. */
    private final RowMapping answers;

    private List<Refused> retries = new ArrayList<>();

    /**
     * The places of the rows that the server has refused and that wait in {@link #retries}. The set needs no limit,
     * because it contains at most as many places as there were commands in flight.
     */
    private KeySet refused = emptySet();

    /**
     * Rows that are retried although they may have been written, with the outcomes of their first attempts: an earlier
     * row of the same place was refused, or the connection was lost.
     */
    private final IdentityHashMap<Row, Outcome> overtaken = new IdentityHashMap<>();

    /** Whether all rows in flight are retries. */
    private boolean retrying;

    /** Whether a retry may have been executed, so that it may have overwritten an overtaken row. */
    private boolean overwritten;

    /** Whether the commands only read, so that a command that was perhaps executed can be sent again. */
    private final boolean reads;

    /**
     * Creates the retries of one connection.
     *
     * @param reads whether the commands of the mapping only read
     * @param mapping the mapping of the sent rows; this object does not prepare it
     * @param answers another mapping of the same target
     */
    IndividualRetry(boolean reads, RowMapping mapping, RowMapping answers) {
        this.reads = reads;
        this.mapping = mapping;
        this.answers = answers;
    }

    /**
     * Returns whether {@code row} must be retried. If so, a later call of {@link #takeRows} returns the row.
     *
     * @param recovering whether the connection waits for its server, so that rows with a temporary error are retried
     */
    boolean needsRetry(Row row, CommandSpec<?> command, Outcome outcome, boolean recovering) {
        boolean maybeWritten = isMaybeWritten(outcome);
        overwritten |= retrying && maybeWritten;
        if (isRefused(command, outcome, recovering)) {
            answers.prepare(row);
            refused.add(answers);
            if (maybeWritten && !reads) {
                overtaken.putIfAbsent(row, outcome);
            }
        } else if (maybeWritten && followsRefused(row)) {
            overtaken.putIfAbsent(row, outcome);
        } else {
            return false;
        }
        retries.add(new Refused(row, outcome));
        return true;
    }

    private boolean isRefused(CommandSpec<?> command, Outcome outcome, boolean recovering) {
        return switch (outcome) {
            case Outcome.Failed failed ->
                isImport(command)
                        || lacksScript(command, failed.error())
                        || FusedError.mayBeOfAnotherRow(mapping, failed.error())
                        || (recovering && ServerError.of(failed.error()).isTemporary());
            case Outcome.Lost lost -> recovering && (reads || !lost.maybeExecuted() || changesNothing());
            case Outcome.Ok ignored -> false;
            case Outcome.TimedOut ignored -> false;
            case Outcome.Refused ignored -> false;
        };
    }

    /** Whether {@code command} imports a row. If the server refuses the row, the command of the mapping may write it. */
    static boolean isImport(CommandSpec<?> command) {
        return command == HashImport.SET || command == HashRestore.RESTORE;
    }

    /** Whether the server has refused {@code command} because it relies on a script that the server does not have. */
    private boolean lacksScript(CommandSpec<?> command, ErrorReply error) {
        return command == mapping.repeatedCommand()
                && command != mapping.command()
                && error.code().equals(NO_SCRIPT);
    }

    /** Whether the attempt with {@code outcome} may have written its row, in part or completely. */
    private static boolean isMaybeWritten(Outcome outcome) {
        return switch (outcome) {
            case Outcome.Ok ignored -> true;
            case Outcome.TimedOut ignored -> true;
            case Outcome.Lost lost -> lost.maybeExecuted();
            case Outcome.Failed ignored -> false;
            case Outcome.Refused ignored -> false;
        };
    }

    private boolean followsRefused(Row row) {
        if (refused.size() == 0 || !changesNothing()) {
            return false;
        }
        answers.prepare(row);
        return refused.contains(answers);
    }

    /** Whether writing a row twice changes nothing. */
    private boolean changesNothing() {
        return mapping.repetition() == Repetition.CHANGES_NOTHING;
    }

    /** Whether there are rows to retry. */
    boolean hasRows() {
        return !retries.isEmpty();
    }

    /**
     * Removes and returns the rows to retry, in the order in which the caller must send them. The caller calls this
     * method only when no command is in flight. Until {@link #settled}, the caller sends only retries.
     */
    List<Refused> takeRows() {
        List<Refused> rows = retries;
        retries = new ArrayList<>();
        refused = emptySet();
        retrying = true;
        return rows;
    }

    /** Puts back rows that {@link #takeRows} has returned and that were not sent. They are retried after the others. */
    void putBack(List<Refused> unsent) {
        retries.addAll(unsent);
    }

    /** Called when there are no more rows to retry, and every retry has its outcome. */
    void settled() {
        retrying = false;
        overwritten = false;
    }

    /**
     * The outcome to record for {@code row}. {@code outcome} is the outcome of the last attempt. If the first attempt may
     * have written the row, but the retry failed, the row may or may not be in Redis. Such a row is unconfirmed.
     */
    Outcome finalOutcome(Row row, Outcome outcome) {
        // The map is nearly always empty. The query is for each row, and costs a hash code of the row otherwise.
        boolean isUnconfirmed =
                !overtaken.isEmpty() && overtaken.remove(row) != null && !(outcome instanceof Outcome.Ok);
        return isUnconfirmed ? new Outcome.TimedOut() : outcome;
    }

    /**
     * Ends all retries without sending them. Passes the final outcome of each row to {@code receiver}. A temporary error
     * is the outcome of its row. Any other refusal concerns only the first command of its row, such as the import, or
     * another row. Such a row was certainly not written, and a load that continues must send the row.
     */
    void giveUp(FinalOutcome receiver) {
        for (Refused last : takeRows()) {
            Outcome first = overtaken.remove(last.row());
            receiver.of(last.row(), withoutRetry(first, last.outcome()));
        }
        settled();
    }

    /**
     * @param first outcome of the first attempt of an overtaken row; null for all other rows
     * @param last outcome of the last attempt
     */
    private Outcome withoutRetry(@Nullable Outcome first, Outcome last) {
        if (first == null) {
            return isOnlyOfFirstCommand(last) ? NEVER_RETRIED : last;
        }
        return overwritten ? new Outcome.TimedOut() : first;
    }

    /** Whether {@code outcome} is an error that the retry would perhaps not have received. */
    private static boolean isOnlyOfFirstCommand(Outcome outcome) {
        return outcome instanceof Outcome.Failed failed
                && !ServerError.of(failed.error()).isTemporary();
    }

    private static KeySet emptySet() {
        return new KeySet(Integer.MAX_VALUE, Long.MAX_VALUE);
    }
}
