// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.BulkOptions;
import io.millrace.client.BulkWriter;
import io.millrace.client.CommandSpec;
import io.millrace.client.Outcome;
import io.millrace.client.RedisClient;
import io.millrace.load.source.Row;
import java.util.ArrayDeque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One connection of a load, and the rows that are on it: each is kept until its command has an outcome, because only then is
 * it known whether the row is needed again. Belongs to the loading thread.
 *
 * <p>The writer bounds what commands hold. A row may be far larger than its command, when columns of it are not written, so
 * the lane bounds what rows hold: it waits until all it has sent is answered when that would be exceeded.
 */
final class Lane implements AutoCloseable {

    /** What is done with a row when its command has an outcome. */
    interface OnOutcome {
        void ended(Row row, Outcome outcome);
    }

    /** The tag of commands that belong to no row. */
    private static final long NO_ROW = -1;

    private final BulkWriter writer;
    private final OnOutcome onOutcome;
    private final @Nullable RowWriting writing;
    private final ArrayDeque<Row> freeRows;
    private final @Nullable Row[] kept;
    private final int mask;
    private final long keptLimit;
    private long keptBytes;
    private long sequence;

    /**
     * A lane on a connection of its own.
     *
     * @param writing how rows are written; null if they are not
     */
    Lane(
            RedisClient client,
            BulkOptions options,
            ArrayDeque<Row> freeRows,
            OnOutcome onOutcome,
            @Nullable RowWriting writing) {
        this.writing = writing;
        this.freeRows = freeRows;
        this.onOutcome = onOutcome;
        // One more than can be in flight: a row is put down before its command has found a place.
        int size = Integer.highestOneBit(options.inFlight()) << 1;
        this.kept = new Row[size];
        this.mask = size - 1;
        // Rows of which all is written never come to this, since room grows by a half at a time.
        this.keptLimit = (long) options.inFlight() * Row.KEPT_BYTES + options.inFlightBytes() * 3 / 2;
        this.writer = client.bulkWriter(options, this::ended);
    }

    /** Begins the command of the next row; its arguments go to the result. */
    BulkWriter begin(CommandSpec<?> command) {
        return writer.begin(command);
    }

    /** Begins the command that writes {@code row}, which has been prepared, and gives it all of its arguments. */
    void begin(Row row) {
        RowWriting rows = Objects.requireNonNull(writing);
        if (rows.beginFieldSet(row, writer)) {
            writer.end(NO_ROW);
            writeAgain();
            // Outcomes that were told meanwhile have used the mapping.
            rows.mapping().prepare(row);
        }
        rows.begin(row, writer);
    }

    /** Ends the command and keeps {@code row}, which the caller gives away, until its outcome. */
    void end(Row row) {
        submit(row);
        writeAgain();
    }

    /** Writes rows again for which that is needed, each by itself, before a further one is sent. */
    private void writeAgain() {
        if (writing != null && writing.secondTry().hasRows()) {
            writer.finish();
            for (Row row : writing.secondTry().takeRows()) {
                writing.beginAgain(row, writer);
                submit(row);
                writer.flush();
            }
        }
    }

    private void submit(Row row) {
        long tag = sequence++;
        kept[(int) tag & mask] = row;
        keptBytes += row.capacity();
        writer.end(tag);
        if (keptBytes > keptLimit) {
            writer.finish();
        }
    }

    /** How many bytes the rows that are kept take up. */
    long keptBytes() {
        return keptBytes;
    }

    private void ended(long tag, CommandSpec<?> command, Outcome outcome) {
        if (tag == NO_ROW) {
            // The rows that needed it have outcomes of their own.
            return;
        }
        int slot = (int) tag & mask;
        Row row = Objects.requireNonNull(kept[slot]);
        kept[slot] = null;
        keptBytes -= row.capacity();
        if (writing != null && writing.takesBack(row, command, outcome)) {
            return;
        }
        onOutcome.ended(row, writing == null ? outcome : writing.secondTry().lastWord(row, outcome));
        row.trim();
        freeRows.push(row);
    }

    /** Waits until every row has its outcome. */
    void finish() {
        writer.finish();
        writeAgain();
        writer.finish();
    }

    BulkWriter writer() {
        return writer;
    }

    @Override
    public void close() {
        writer.close();
    }
}
