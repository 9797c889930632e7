// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.BulkOptions;
import io.millrace.client.BulkWriter;
import io.millrace.client.Outcome;
import io.millrace.client.RedisClient;
import io.millrace.client.command.CommandSpec;
import io.millrace.load.source.Row;
import java.util.ArrayDeque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One connection of a load, and the rows in flight on the connection. Each row is kept until its command has an
 * outcome, because a retry or a rejection may need the row. Confined to the loading thread.
 *
 * <p>The {@link BulkWriter} limits the memory of the commands in flight. If some columns are not written, a row can be
 * far larger than its command. So the connection also limits the memory of the rows in flight. Above this limit, the
 * connection waits until every command in flight has its outcome.
 */
final class LoadConnection implements AutoCloseable {

    /** Called when the command of a row has its outcome. */
    interface OutcomeListener {
        void onOutcome(Row row, Outcome outcome);
    }

    /** Tag of a command without a row. */
    private static final long NO_ROW = -1;

    private final BulkWriter writer;
    private final OutcomeListener onOutcome;
    private final @Nullable RowWriter writing;
    private final ArrayDeque<Row> freeRows;
    private final @Nullable Row[] rowsInFlight;
    private final int mask;
    private final long rowBytesLimit;
    private long rowBytes;
    private long sequence;

    /**
     * Opens the connection.
     *
     * @param writing writes the rows; null if this connection does not write rows
     */
    LoadConnection(
            RedisClient client,
            BulkOptions options,
            ArrayDeque<Row> freeRows,
            OutcomeListener onOutcome,
            @Nullable RowWriter writing) {
        this.writing = writing;
        this.freeRows = freeRows;
        this.onOutcome = onOutcome;
        // The array is larger than the window, because a row is stored before its command gets a permit.
        int size = Integer.highestOneBit(options.inFlight()) << 1;
        this.rowsInFlight = new Row[size];
        this.mask = size - 1;
        // If all columns are written, the rows stay below this limit. A full buffer of a row grows by half of its size,
        // so a buffer above KEPT_BYTES is at most half larger than the values in the buffer.
        this.rowBytesLimit = (long) options.inFlight() * Row.KEPT_BYTES + options.inFlightBytes() * 3 / 2;
        this.writer = client.bulkWriter(options, this::ended);
    }

    /** Begins the command of the next row. The caller adds the arguments of the command to the returned writer. */
    BulkWriter begin(CommandSpec<?> command) {
        return writer.begin(command);
    }

    /** Begins the command that writes {@code row}, which the mapping has prepared, and adds its arguments. */
    void begin(Row row) {
        RowWriter rows = Objects.requireNonNull(writing);
        if (rows.beginFieldSet(row, writer)) {
            writer.end(NO_ROW);
            retryRows();
            // The calls above may have received outcomes. The code that handles an outcome may have prepared the
            // mapping for another row.
            rows.mapping().prepare(row);
        }
        rows.begin(row, writer);
    }

    /**
     * Ends the command, and keeps {@code row} until the command has its outcome. After this call, the caller must not
     * use {@code row}.
     */
    void end(Row row) {
        submit(row);
        retryRows();
    }

    /** Retries rows, each in a separate command, before the next row is sent. */
    private void retryRows() {
        if (writing != null && writing.individualRetry().hasRows()) {
            writer.finish();
            for (Row row : writing.individualRetry().takeRows()) {
                writing.beginRetry(row, writer);
                submit(row);
                writer.flush();
            }
        }
    }

    private void submit(Row row) {
        long tag = sequence++;
        rowsInFlight[(int) tag & mask] = row;
        rowBytes += row.capacity();
        writer.end(tag);
        if (rowBytes > rowBytesLimit) {
            writer.finish();
        }
    }

    /** Bytes that the rows in flight occupy. */
    long rowBytes() {
        return rowBytes;
    }

    private void ended(long tag, CommandSpec<?> command, Outcome outcome) {
        if (tag == NO_ROW) {
            // This command prepares a field set and writes no row. The rows with this field set have separate outcomes.
            return;
        }
        int slot = (int) tag & mask;
        Row row = Objects.requireNonNull(rowsInFlight[slot]);
        rowsInFlight[slot] = null;
        rowBytes -= row.capacity();
        if (writing != null && writing.needsRetry(row, command, outcome)) {
            return;
        }
        onOutcome.onOutcome(
                row, writing == null ? outcome : writing.individualRetry().finalOutcome(row, outcome));
        row.trim();
        freeRows.push(row);
    }

    /** Waits until every row has its outcome. */
    void finish() {
        writer.finish();
        retryRows();
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
