// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import io.millrace.load.Rejection.Reason;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/** Makes rows of the fields that a {@link CsvTokenizer} finds. */
final class CsvRowReader implements RowReader {

    private final String name;
    private final CsvTokenizer tokens;
    private final CsvInput input;
    private final CsvFieldCheck check;
    private final List<Column> columns;
    private final byte @Nullable [] nullText;
    private long number;
    private @Nullable SourceException broken;

    CsvRowReader(String name, CsvTokenizer tokens, CsvInput input, CsvOptions options, List<Column> columns) {
        this.name = name;
        this.tokens = tokens;
        this.input = input;
        this.check = new CsvFieldCheck(tokens, options);
        this.columns = columns;
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
        if (broken != null) {
            row.clear(0, 0);
            throw broken;
        }
        try {
            boolean more = read(row);
            // Checked after reading too: some streams that are closed meanwhile seem to have come to their end.
            if (!input.isCancelled()) {
                return more;
            }
        } catch (IOException e) {
            if (!input.isCancelled()) {
                throw failed(CsvSource.reason(e), e);
            }
        }
        row.clear(0, 0);
        throw failed("cancelled", null);
    }

    private SourceException failed(String why, @Nullable IOException cause) {
        return new SourceException(
                SourceException.Kind.BROKEN,
                "reading %s failed: line=%d (%s). Its rows up to there were read.".formatted(name, tokens.line(), why),
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
                end(row);
            } else {
                check.field(row, "");
                row.cutOpen(0);
            }
            fields++;
        }
        if (fields != expected && !row.isRejected()) {
            rejectCount(row, fields);
        }
        if (tokens.notClosed()) {
            broken = new SourceException(
                    SourceException.Kind.BROKEN,
                    "reading %s failed: the quote that opens on line %d is never closed. Close it, or say that quotes mean nothing."
                            .formatted(name, tokens.quoteLine()));
        }
        return true;
    }

    private void end(Row row) {
        byte[] empty = nullText;
        if (empty != null && !tokens.quoted() && row.openLength() == empty.length && isOpen(row, empty)) {
            row.cutOpen(0);
            row.addNull();
        } else {
            row.end(Row.Kind.TEXT);
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
                    "%d of %d fields; the first that is missing is '%s'"
                            .formatted(fields, expected, columns.get(fields).name()));
        } else {
            row.reject(Reason.TOO_MANY_FIELDS, "%d fields for %d columns".formatted(fields, expected));
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
            // Everything that was wanted has been read; a file that was only read loses nothing.
        }
    }
}
