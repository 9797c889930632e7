// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.BulkListener;
import io.millrace.client.BulkOptions;
import io.millrace.client.BulkWriter;
import io.millrace.client.Outcome;
import io.millrace.client.RedisClient;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.command.Server;
import io.millrace.client.command.Sets;
import io.millrace.client.exception.RedisException;
import io.millrace.load.source.Row;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One connection of a load, and the rows in flight on the connection. Each row is kept until its command has an
 * outcome, because a retry or a rejection may need the row. Confined to the loading thread.
 *
 * <p>The {@link BulkWriter} limits the memory of the commands in flight. If some columns are not written, a row can be
 * far larger than its command. So the connection also limits the memory of the rows in flight. Above this limit, the
 * connection waits until every command in flight has its outcome.
 *
 * <p>DESIGN. If the server refuses rows with a temporary error, or if the connection is lost, the connection does not
 * report the rows that were certainly not written. It waits, replaces its writer, and sends these rows again:
 *
 * <pre>
 *   row refused -> all rows in flight get their outcomes -> wait -> new writer -> first refused row alone
 *                                                             ^                        |
 *                                                             +--- refused again ------+---> the other refused rows
 * </pre>
 *
 * <p>One way serves all cases: a new writer resolves the address again after {@code READONLY}, and is needed after a
 * loss. The first row alone is the question whether the server accepts rows. If the load gives up, each of these rows is
 * reported with the outcome of its last attempt. A row whose import was refused, and that was never sent again, is
 * reported as not written.
 */
final class LoadConnection implements AutoCloseable {

    /** Called when the command of a row has its outcome. */
    interface OutcomeListener {
        void onOutcome(Row row, Outcome outcome);
    }

    /** Tag of a command without a row. */
    private static final long NO_ROW = -1;

    /** Tag of the command that reads the identity of the server. */
    private static final long IDENTITY = -2;

    /** Tag of a command that records keys of a job. */
    private static final long RECORD = -3;

    private final RedisClient client;
    private final ReplaceableWriter connection;
    private final OutcomeListener onOutcome;
    private final @Nullable RowWriter writing;

    /** Null if this connection writes no rows. */
    private final @Nullable FailoverWatch failovers;

    private final ArrayDeque<Row> freeRows;
    private final RowsInFlight rowsInFlight;
    private final long rowBytesLimit;

    /** Why the server accepts no rows at present; null if it accepts rows. */
    private @Nullable Trouble trouble;

    /** Whether another process may have the role of the server now. */
    private boolean serverMayDiffer;

    /** The reply to the last command with the tag {@link #IDENTITY}. */
    private Optional<String> runId = Optional.empty();

    /** Time in {@link #finish}, and time of recoveries. */
    private long waitNanos;

    /**
     * Opens the connection.
     *
     * @param nodes number of servers, each of which has its own limits of commands and bytes in flight
     * @param writing writes the rows; null if this connection does not write rows
     */
    LoadConnection(
            RedisClient client,
            int nodes,
            BulkOptions options,
            ArrayDeque<Row> freeRows,
            OutcomeListener onOutcome,
            @Nullable RowWriter writing) {
        this.writing = writing;
        this.failovers = writing == null ? null : writing.failovers();
        this.freeRows = freeRows;
        this.onOutcome = onOutcome;
        this.rowsInFlight = new RowsInFlight(options.inFlight());
        // If all columns are written, the rows stay below this limit. A full buffer of a row grows by half of its size,
        // so a buffer above KEPT_BYTES is at most half larger than the values in the buffer.
        this.rowBytesLimit = nodes * ((long) options.inFlight() * Row.KEPT_BYTES + options.inFlightBytes() * 3 / 2);
        this.client = client;
        this.connection = new ReplaceableWriter(() -> client.bulkWriter(options, listener()));
    }

    private BulkListener listener() {
        return failovers == null
                ? (tag, command, outcome) -> ended(tag, command, outcome, null)
                : new MarkedOutcomes(failovers, this::ended);
    }

    /** Begins the command of the next row. The caller adds the arguments of the command to the returned writer. */
    BulkWriter begin(CommandSpec<?> command) {
        return writer().begin(command);
    }

    /** Begins the command that writes {@code row}, which the mapping has prepared, and adds its arguments. */
    void begin(Row row) {
        RowWriter rows = Objects.requireNonNull(writing);
        // A replaced connection needs its field set again.
        while (rows.beginFieldSet(row, writer())) {
            writer().end(NO_ROW);
            retryRows();
            // The retries have prepared the mapping for other rows.
            rows.mapping().prepare(row);
        }
        rows.begin(row, writer());
    }

    /** Adds {@code keys} to the set {@code manifest}. If this fails, the load stops. */
    void record(byte[] manifest, List<byte[]> keys) {
        BulkWriter command = writer().begin(Sets.SADD);
        command.arg(manifest);
        keys.forEach(command::arg);
        command.end(RECORD);
        retryRows();
    }

    /**
     * Ends the command, and keeps {@code row} until the command has its outcome. After this call, the caller must not
     * use {@code row}.
     */
    void end(Row row) {
        submit(row);
        if (writing != null && writing.awaitsOutcome()) {
            long start = System.nanoTime();
            writer().finish();
            waitNanos += System.nanoTime() - start;
        }
        retryRows();
    }

    /** Retries rows, each in a separate command, before the next row is sent. */
    private void retryRows() {
        RowWriter rows = writing;
        if (rows == null || (trouble == null && !rows.individualRetry().hasRows())) {
            return;
        }
        long start = System.nanoTime();
        while (trouble != null || rows.individualRetry().hasRows()) {
            writer().finish();
            boolean refused = trouble != null;
            if (refused && !recover(rows)) {
                rows.individualRetry().giveUp((row, outcome) -> ended(row, outcome, row.capacity()));
                break;
            }
            retry(rows, rows.individualRetry().takeRows(), refused);
        }
        rows.individualRetry().settled();
        waitNanos += System.nanoTime() - start;
    }

    /** Sends the rows again. If {@code testFirst}, the first row must be answered before the second row is sent. */
    private void retry(RowWriter rows, List<IndividualRetry.Refused> refused, boolean testFirst) {
        for (int i = 0; i < refused.size(); i++) {
            if (trouble != null) {
                // The rows that were sent again keep their place before the unsent rows.
                writer().finish();
                rows.individualRetry().putBack(refused.subList(i, refused.size()));
                return;
            }
            Row row = refused.get(i).row();
            rows.beginRetry(row, writer());
            submit(row);
            writer().flush();
            if (testFirst && i == 0) {
                writer().finish();
            }
        }
        writer().finish();
    }

    /**
     * Waits, and replaces the writer. No command is in flight.
     *
     * <p>A writer with a timed-out command is not replaced. The server may still execute this command after the commands
     * of a new connection. Then an earlier row could overwrite a later row.
     *
     * @return false if the load has stopped
     */
    private boolean recover(RowWriter rows) {
        Trouble current = Objects.requireNonNull(trouble);
        Recovery recovery = rows.recovery();
        trouble = null;
        boolean safe = writer().counts().timedOut() == 0;
        while (safe && recovery.await(current)) {
            try {
                connection.replace();
            } catch (RedisException e) {
                recovery.attemptFailed(String.valueOf(e.getMessage()));
                continue;
            }
            rows.connectionReplaced();
            Optional<String> newRunId = readRunId();
            if (failovers != null) {
                serverMayDiffer &= !failovers.reconnected(newRunId, !serverMayDiffer);
            }
            recovery.connected(newRunId);
            return true;
        }
        recovery.giveUp(current);
        return false;
    }

    /** Reads the identity of the server, or of all primaries of a cluster. Empty if a server does not report it. */
    private Optional<String> readRunId() {
        if (ClusterServers.isCluster(client)) {
            return ServerFacts.soon(client, "server").flatMap(ServerFacts::runId);
        }
        runId = Optional.empty();
        writer().begin(Server.INFO).arg("server");
        writer().end(IDENTITY);
        writer().finish();
        return runId;
    }

    private void submit(Row row) {
        writer().end(rowsInFlight.add(row));
        if (rowsInFlight.bytes() > rowBytesLimit) {
            writer().finish();
        }
    }

    /** Bytes that the rows in flight occupy. */
    long rowBytes() {
        return rowsInFlight.bytes();
    }

    /**
     * Receives the outcome of a command.
     *
     * @param server the rows of the connection that had the command; null if it was on no connection, or if no rows are
     *     written
     */
    private void ended(long tag, CommandSpec<?> command, Outcome ofCommand, @Nullable ServerRows server) {
        Outcome outcome = writing == null ? ofCommand : writing.meaning(command, ofCommand);
        if (writing != null) {
            noteTrouble(writing.recovery(), outcome);
        }
        if (tag == RECORD && !(outcome instanceof Outcome.Ok)) {
            Objects.requireNonNull(writing).recovery().notRecorded(outcome);
        }
        if (tag == IDENTITY) {
            runId = outcome instanceof Outcome.Ok ok
                    ? ServerFacts.of(ok.reply()).flatMap(ServerFacts::runId)
                    : Optional.empty();
        }
        if (tag < 0) {
            // This command writes no row: it prepares a field set, records keys, or reads the identity of the server.
            // The rows have separate outcomes.
            return;
        }
        int capacity = rowsInFlight.capacity(tag);
        Row row = rowsInFlight.remove(tag);
        if (writing != null && writing.needsRetry(row, command, outcome, trouble != null)) {
            return;
        }
        if (server != null
                && outcome instanceof Outcome.Ok ok
                && !Objects.requireNonNull(writing).mapping().leftOut(ok.reply())) {
            rowsInFlight.acknowledged(tag, server);
        }
        ended(row, writing == null ? outcome : writing.individualRetry().finalOutcome(row, outcome), capacity);
    }

    private void ended(Row row, Outcome outcome, int capacity) {
        if (writing != null && outcome instanceof Outcome.Ok) {
            writing.recovery().acknowledged();
        }
        onOutcome.onOutcome(row, outcome);
        if (capacity > Row.KEPT_BYTES) {
            row.trim();
        }
        freeRows.push(row);
    }

    /** Records if the server accepts no rows at present. */
    private void noteTrouble(Recovery recovery, Outcome outcome) {
        if (trouble != null || !recovery.isPossible()) {
            return;
        }
        if (outcome instanceof Outcome.Failed failed) {
            ServerError kind = ServerError.of(failed.error());
            trouble = kind.isTemporary() ? recovery.refused(kind, failed.error()) : null;
            serverMayDiffer |= trouble != null && kind.concernsRole();
        } else if (outcome instanceof Outcome.Lost lost) {
            trouble = recovery.lost(lost);
            serverMayDiffer = true;
        }
    }

    /** Waits until every row has its outcome. Then no more rows can be sent. */
    void finish() {
        long start = System.nanoTime();
        writer().finish();
        waitNanos += System.nanoTime() - start;
        retryRows();
        if (failovers != null) {
            start = System.nanoTime();
            boolean wasUnsettled = failovers.isUnsettled();
            connection.close();
            failovers.ended(
                    wasUnsettled, client, Objects.requireNonNull(writing).recovery());
            waitNanos += System.nanoTime() - start;
        }
    }

    /** Nanoseconds that the loading thread has waited for permits, for the last replies, and for the server. */
    long waitNanos() {
        return waitNanos + connection.windowNanos();
    }

    /** The totals of this connection so far. Any thread. */
    ReplaceableWriter.WriterTotals totals() {
        return connection.totals();
    }

    /** Closes the connection without waiting for replies. Any thread. */
    void abort() {
        connection.abort();
    }

    private BulkWriter writer() {
        return connection.writer();
    }

    @Override
    public void close() {
        connection.close();
    }
}
