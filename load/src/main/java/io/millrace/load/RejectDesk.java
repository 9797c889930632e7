// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.load.LoadOptions.OnError;
import io.millrace.load.source.Row;
import io.millrace.load.target.RowMapping;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Where rejected rows end: counted, written to the rejects file, told to whoever listens, and weighed against what the user
 * tolerates. Belongs to the loading thread.
 */
final class RejectDesk {

    /** Places remembered for verification: enough for a person to care, about 30 MB at most. */
    static final int REMEMBERED = 100_000;

    private static final long REMEMBERED_BYTES = 16L << 20;

    private final LoadOptions options;
    private final Ledger ledger;
    private final StopSign stop;
    private final Events events;
    private final RowMapping mapping;
    private final @Nullable RejectsFile file;
    private final PlaceSet rejectedByServer = new PlaceSet(REMEMBERED, REMEMBERED_BYTES);

    RejectDesk(
            LoadOptions options,
            Ledger ledger,
            StopSign stop,
            Events events,
            RowMapping mapping,
            @Nullable RejectsFile file) {
        this.options = options;
        this.ledger = ledger;
        this.stop = stop;
        this.events = events;
        this.mapping = mapping;
        this.file = file;
    }

    /** A row that never became a command. */
    void rejectUnsent(Row row, Rejection rejection) {
        reject(row, row.isRejected() ? "" : keyOf(row), rejection);
    }

    /** A row whose command the server refused. */
    void rejectByServer(Row row, String serversWords) {
        String key = keyOf(row);
        if (options.verify().includes(mapping)) {
            rejectedByServer.add(mapping);
        }
        reject(row, key, new Rejection(Rejection.Reason.SERVER_ERROR, serversWords));
    }

    /**
     * The places of rows that the server refused, as far as they are to be verified: they are not found, and that need not be
     * said again.
     */
    PlaceSet rejectedByServer() {
        return rejectedByServer;
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
        events.tell(new LoadEvent.Rejected(row, key, rejection));
        if (options.onError() == OnError.STOP) {
            stop.stop("a row was rejected, and the job is to stop at the first: " + described(row, rejection));
        } else if (rejected > options.maxErrors().orElse(Long.MAX_VALUE)) {
            stop.stop(rejected + " rows were rejected, more than the "
                    + options.maxErrors().getAsLong() + " that are tolerated; the last: " + described(row, rejection));
        }
    }

    /** Closes the rejects file, before the report says what is in it. No row may be rejected after that. */
    void close() {
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
        String line = row.line() > 0 ? " (line " + row.line() + ")" : "";
        return "row " + row.number() + line + ": " + rejection.message();
    }
}
