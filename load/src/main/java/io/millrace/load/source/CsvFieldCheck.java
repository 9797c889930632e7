// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import io.millrace.load.Rejection.Reason;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

/** Rejects the row whose field has just been read, if that field is malformed. The first fault of a row is the one told. */
final class CsvFieldCheck {

    private final CsvTokenizer tokens;
    private final Charset encoding;
    private final int fieldLimit;

    CsvFieldCheck(CsvTokenizer tokens, CsvOptions options) {
        this.tokens = tokens;
        this.encoding = options.encoding();
        this.fieldLimit = options.fieldLimitBytes();
    }

    /** Looks at the field that {@code row} is about to end. */
    void field(Row row, String column) {
        if (tokens.notClosed()) {
            // Told whatever else is wrong, since the job ends with it.
            row.reject(
                    Reason.QUOTE_NOT_CLOSED,
                    "the quote that opens on line %d is never closed".formatted(tokens.quoteLine()));
        } else if (row.isRejected()) {
            return;
        } else if (tokens.tooLong()) {
            row.reject(Reason.FIELD_TOO_LONG, "%s is longer than %,d bytes".formatted(field(column), fieldLimit));
        } else if (tokens.textAfterQuote()) {
            row.reject(
                    Reason.TEXT_AFTER_QUOTE,
                    "%s has text after its closing quote; its quote opens on line %d"
                            .formatted(field(column), tokens.quoteLine()));
        } else if (tokens.hasNonAscii()) {
            checkEncoding(row, column);
        }
    }

    private void checkEncoding(Row row, String column) {
        int bad = Utf8.firstBad(row.bytes(), row.openStart(), row.openLength());
        if (bad < 0) {
            return;
        }
        String message = encoding.equals(StandardCharsets.UTF_8)
                ? "%s is not UTF-8: byte 0x%02X after %d bytes"
                        .formatted(field(column), row.bytes()[row.openStart() + bad] & 0xFF, bad)
                : "%s is not %s after %d bytes of UTF-8".formatted(field(column), encoding.name(), bad);
        row.reject(Reason.NOT_UTF8, message);
    }

    private static String field(String column) {
        return column.isEmpty() ? "a field beyond the last column" : "'" + column + "'";
    }
}
