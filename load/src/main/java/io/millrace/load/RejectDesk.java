// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.load.LoadOptions.OnError;
import io.millrace.load.source.Row;
import io.millrace.load.target.RowMapping;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Where rejected rows end: counted, written to the rejects file, told to whoever listens, and weighed against what the user
 * tolerates. Belongs to the loading thread.
 */
final class RejectDesk {

    /** Places remembered for verification: enough for a person to care, about 20 MB at most. */
    private static final int REMEMBERED = 100_000;

    private final LoadOptions options;
    private final Ledger ledger;
    private final StopSign stop;
    private final Events events;
    private final RowMapping mapping;
    private final @Nullable RejectsFile file;
    private final Set<ByteBuffer> rejectedByServer = new HashSet<>();

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
        if (rejectedByServer.size() < REMEMBERED) {
            rejectedByServer.add(ByteBuffer.wrap(Arrays.copyOf(mapping.key(), mapping.placeLength())));
        }
        reject(row, key, new Rejection(Rejection.Reason.SERVER_ERROR, serversWords));
    }

    /** The places of rows that the server refused: a verification does not find them, and need not say so again. */
    Set<ByteBuffer> rejectedByServer() {
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

    /** Hands what was rejected to the operating system, before the report says so. */
    void flush() {
        useFile(RejectsFile::flush);
    }

    private void useFile(Consumer<RejectsFile> action) {
        if (file != null) {
            try {
                action.accept(file);
            } catch (UncheckedIOException e) {
                stop.stop("the rejects file cannot be written: " + e.getMessage());
            }
        }
    }

    private static String described(Row row, Rejection rejection) {
        String line = row.line() > 0 ? " (line " + row.line() + ")" : "";
        return "row " + row.number() + line + ": " + rejection.message();
    }
}
