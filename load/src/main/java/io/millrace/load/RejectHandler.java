// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.Setting.Unit;
import io.millrace.load.LoadOptions.OnError;
import io.millrace.load.source.Rejection;
import io.millrace.load.source.Row;
import io.millrace.load.target.Repetition;
import io.millrace.load.target.RowMapping;
import io.millrace.resp.Reply.ErrorReply;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Handles rejected rows: counts them, writes them to the rejects file, passes them to the listener, and stops the load
 * if there are too many, or if the first rows all fail alike. Also remembers which rows are unconfirmed. Confined to the
 * loading thread, except {@link #flushIfDue}.
 */
final class RejectHandler {

    /**
     * Maximum number of rejected rows whose places are remembered for the verification. The places occupy about 30 MB
     * at most.
     */
    static final int MAX_REMEMBERED = 100_000;

    private static final long REMEMBERED_BYTES = 16L << 20;

    /**
     * If this number of rows at the beginning of the source all fail alike, the load stops. The cause is then the plan,
     * such as a wrong type or delimiter. A user who gives a maximum of rejected rows decides differently.
     */
    static final int ALIKE = 1_000;

    private final LoadOptions options;
    private final Ledger ledger;
    private final CancelSignal stop;
    private final EventDispatcher eventDispatcher;
    /** A separate mapping, because outcomes can arrive while the mapping of the load writes another row. */
    private final RowMapping mapping;

    private final @Nullable RejectsFile file;
    private final KeySet rejectedByServer = new KeySet(MAX_REMEMBERED, REMEMBERED_BYTES);
    private final RowRanges unconfirmed = new RowRanges();

    /** Reason or error code of the first rejection among the first rows of the source. */
    private String firstKind = "";

    /** Whether the server has refused a row. */
    private boolean refusedByServer;

    /** Number of rows that were rejected before they were sent. */
    private long rejectedUnsent;

    /** Number of rejections of this kind among the first rows of the source. */
    private int failedAlike;

    /**
     * Creates the handler of a load.
     *
     * @param mapping computes the keys of rejected rows; the caller does not use it
     * @param file receives the rejected rows; null for none
     */
    RejectHandler(
            LoadOptions options,
            Ledger ledger,
            CancelSignal stop,
            EventDispatcher eventDispatcher,
            RowMapping mapping,
            @Nullable RejectsFile file) {
        this.options = options;
        this.ledger = ledger;
        this.stop = stop;
        this.eventDispatcher = eventDispatcher;
        this.mapping = mapping;
        this.file = file;
    }

    /** Rejects a row that was not sent. */
    void rejectUnsent(Row row, Rejection rejection) {
        rejectedUnsent++;
        reject(row, row.isRejected() ? "" : keyOf(row), rejection);
    }

    /** Rejects a row whose command received an error reply. */
    void rejectByServer(Row row, String errorMessage) {
        refusedByServer = true;
        String key = keyOf(row);
        if (options.verify().includes(mapping)) {
            rejectedByServer.add(mapping);
        }
        reject(row, key, new Rejection(Rejection.Reason.SERVER_ERROR, errorMessage));
    }

    /**
     * The places of the rows that the server refused. If the verification compares only a sample, this set contains
     * only places of the sample. The verification skips these places, because their rows are already reported as
     * rejected.
     */
    KeySet rejectedByServer() {
        return rejectedByServer;
    }

    /** Whether the server has refused a row. */
    boolean refusedByServer() {
        return refusedByServer;
    }

    /** Number of rows that were rejected before they were sent. */
    long rejectedUnsent() {
        return rejectedUnsent;
    }

    /** Counts a row whose command was sent and got no reply. */
    void unconfirmed(Row row) {
        ledger.unconfirmed();
        unconfirmed.add(Math.max(1, row.number()), row.line(), row.file());
    }

    /** Counts written rows as unconfirmed, because a failover may have taken them back. */
    void takenBack(MarkedRows rows) {
        ledger.takenBack(rows.count());
        unconfirmed.add(rows.range());
    }

    /** The unconfirmed rows as ranges, in the order of the source. */
    List<RowRange> unconfirmedRows() {
        return unconfirmed.list();
    }

    /** Writes rejected rows to disk that have waited for a second. Any thread. */
    void flushIfDue() {
        useFile(RejectsFile::flushIfDue);
    }

    /** Writes all rejected rows to disk, before a checkpoint says that they are done. Any thread. */
    void flush() {
        useFile(RejectsFile::flush);
    }

    /** Removes the rows after {@code row} from the rejects file of an earlier load, because they are read again. */
    void continueAfter(long row) {
        useFile(rejects -> rejects.continueAfter(row));
    }

    private String keyOf(Row row) {
        Optional<Rejection> ignored = mapping.prepare(row);
        return ignored.isPresent() && mapping.keyLength() == 0
                ? ""
                : new String(mapping.key(), 0, mapping.keyLength(), StandardCharsets.UTF_8);
    }

    private void reject(Row row, String key, Rejection rejection) {
        long rejected = ledger.rejected();
        useFile(rejects -> rejects.add(row, mapping.key(), key.isEmpty() ? 0 : mapping.keyLength(), rejection));
        eventDispatcher.dispatch(new LoadEvent.Rejected(row, key, rejection));
        if (options.onError() == OnError.STOP) {
            stop.stop("a row was rejected, and the load stops at the first rejected row: " + described(row, rejection));
        } else if (rejected > options.maxErrors().orElse(Long.MAX_VALUE)) {
            stop.stop(rejected + " rows were rejected, which is more than the "
                    + options.maxErrors().getAsLong() + " allowed rejected rows; the last rejected row: "
                    + described(row, rejection));
        } else if (allFailAlike(row, rejection)) {
            stop.stop(ServerError.sentence("the first " + Unit.COUNT.text(ALIKE)
                            + " rows all failed alike; the last one: " + described(row, rejection))
                    + " Correct the cause, or allow these rows with a maximum of rejected rows (max-errors)");
        }
    }

    /**
     * Whether {@code row} is the last of the first rows, and all of them were rejected alike. Rows may be rejected in
     * another order than they were read, so the numbers of the rows decide.
     */
    private boolean allFailAlike(Row row, Rejection rejection) {
        if (row.number() < 1 || row.number() > ALIKE) {
            return false;
        }
        String kind = rejection.reason() == Rejection.Reason.SERVER_ERROR
                ? new ErrorReply(rejection.message()).code()
                : rejection.reason().code();
        if (failedAlike == 0) {
            firstKind = kind;
        }
        if (kind.equals(firstKind)) {
            failedAlike++;
        }
        return failedAlike == ALIKE && options.maxErrors().isEmpty();
    }

    /**
     * Adds the ranges of unconfirmed rows to the rejects file, and closes it. No row may be rejected after this call.
     *
     * @param repetition the effect of loading these rows again
     */
    void close(Repetition repetition) {
        unconfirmed.list().forEach(range -> useFile(rejects -> rejects.addUnconfirmed(range, repetition)));
        useFile(RejectsFile::close);
    }

    private void useFile(Consumer<RejectsFile> action) {
        if (file != null) {
            try {
                action.accept(file);
            } catch (UncheckedIOException e) {
                stop.stop(String.valueOf(e.getMessage()));
            }
        }
    }

    private static String described(Row row, Rejection rejection) {
        String file = row.file().isEmpty() ? "" : " of " + row.file();
        String line = row.line() > 0 ? " (line " + row.line() + file + ")" : file;
        return "row " + row.number() + line + ": " + rejection.message();
    }
}
