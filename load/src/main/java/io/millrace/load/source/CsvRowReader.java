// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import io.millrace.load.source.Rejection.Reason;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/** Reads rows from the fields of a {@link CsvTokenizer}. */
final class CsvRowReader implements RowReader {

    /** Maximum number of fields beyond the last column that are kept for the rejects file. */
    private static final int KEPT_EXTRA_FIELDS = 1_000;

    /** No field beyond the last column is kept if the extra fields before it have more bytes than this number. */
    private static final int KEPT_EXTRA_BYTES = 64 * 1024;

    private final String name;
    private final CsvTokenizer tokens;
    private final SourceInput input;
    private final CsvFieldCheck check;
    private final List<Column> columns;
    private final byte @Nullable [] nullText;
    /** Null if all values are text. */
    private final @Nullable CsvTyping typing;

    private long number;
    private @Nullable SourceException failure;

    CsvRowReader(
            String name,
            CsvTokenizer tokens,
            SourceInput input,
            CsvOptions options,
            List<Column> columns,
            @Nullable CsvTyping typing) {
        this.name = name;
        this.tokens = tokens;
        this.input = input;
        this.check = new CsvFieldCheck(tokens, options);
        this.columns = columns;
        this.typing = typing;
        this.nullText = options.nullText()
                .map(text -> text.getBytes(StandardCharsets.UTF_8))
                .orElse(null);
    }

    @Override
    public List<Column> columns() {
        return columns;
    }

    @Override
    public boolean next(Row row) {
        if (failure != null) {
            row.clear(0, 0);
            throw failure;
        }
        try {
            boolean more = read(row);
            // Check for a cancellation also after reading: the cancellation closes the stream, and some closed streams
            // report the end of the input.
            if (!input.isCancelled()) {
                return more;
            }
        } catch (IOException e) {
            if (!input.isCancelled()) {
                throw failed(SourceInput.reason(e), e);
            }
        }
        row.clear(0, 0);
        throw failed("cancelled", null);
    }

    private SourceException failed(String why, @Nullable IOException cause) {
        return new SourceException(
                SourceException.Kind.BROKEN,
                "reading %s failed: line=%s (%s). The rows before this line were read."
                        .formatted(name, tokens.line(), why),
                cause);
    }

    private boolean read(Row row) throws IOException {
        if (!tokens.nextRecord()) {
            row.clear(0, 0);
            return false;
        }
        row.clear(++number, tokens.line());
        int expected = columns.size();
        int fields = 0;
        while (!tokens.recordEnded()) {
            tokens.field(row);
            if (fields < expected) {
                check.field(row, columns.get(fields).name());
                end(row, fields);
            } else {
                check.field(row, "");
                endExtra(row);
            }
            fields++;
        }
        if (fields != expected && !row.isRejected()) {
            rejectCount(row, fields);
        }
        if (tokens.unclosedQuote()) {
            failure = new SourceException(
                    SourceException.Kind.BROKEN,
                    ("reading %s failed: the quote that opens on line %s is never closed."
                                    + " Close the quote, or read the file without a quote character.")
                            .formatted(name, tokens.quoteLine()));
        }
        return true;
    }

    /** Keeps the first fields beyond the last column, so that the rejects file does not lose their values. */
    private void endExtra(Row row) {
        int kept = row.size() - columns.size();
        if (kept == 0
                || (kept < KEPT_EXTRA_FIELDS && row.openStart() - row.start(columns.size()) <= KEPT_EXTRA_BYTES)) {
            if (tokens.cut()) {
                row.cutOpen();
            }
            row.end(Row.Kind.TEXT);
        } else {
            row.truncateOpen(0);
            row.cutLast();
        }
    }

    private void end(Row row, int column) {
        if (tokens.cut()) {
            row.cutOpen();
        }
        byte[] expected = nullText;
        if (expected != null && !tokens.quoted() && row.openLength() == expected.length && isOpen(row, expected)) {
            row.truncateOpen(0);
            row.addNull();
        } else if (typing == null) {
            row.end(Row.Kind.TEXT);
        } else {
            typing.end(row, column, tokens.quoted());
        }
    }

    private static boolean isOpen(Row row, byte[] text) {
        int start = row.openStart();
        return Arrays.equals(row.bytes(), start, start + text.length, text, 0, text.length);
    }

    private void rejectCount(Row row, int fields) {
        int expected = columns.size();
        if (fields < expected) {
            row.reject(
                    Reason.TOO_FEW_FIELDS,
                    "%s of %s fields; the first missing column is '%s'"
                            .formatted(fields, expected, columns.get(fields).name()));
        } else {
            row.reject(Reason.TOO_MANY_FIELDS, "%s fields for %s columns".formatted(fields, expected));
        }
    }

    @Override
    public OptionalDouble share() {
        return input.share();
    }

    @Override
    public void cancel() {
        input.cancel();
    }

    @Override
    public void close() {
        try {
            input.close();
        } catch (IOException e) {
            // Ignored. A failed close of a file that was only read loses no data.
        }
    }
}
