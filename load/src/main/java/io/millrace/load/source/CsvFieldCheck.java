// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import io.millrace.load.source.Rejection.Reason;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * Checks each field after it was read, and rejects its row if the field is malformed. The first error of a row is
 * reported.
 */
final class CsvFieldCheck {

    private final CsvTokenizer tokens;
    private final Charset encoding;
    private final int fieldLimit;

    CsvFieldCheck(CsvTokenizer tokens, CsvOptions options) {
        this.tokens = tokens;
        this.encoding = options.encoding();
        this.fieldLimit = options.fieldLimitBytes();
    }

    /** Checks the open field of {@code row}. */
    void field(Row row, String column) {
        if (tokens.unclosedQuote()) {
            // This error is reported even if the row is already rejected, because the load ends here.
            row.markOpenIncorrect();
            row.reject(
                    Reason.QUOTE_NOT_CLOSED,
                    "the quote that opens on line %s is never closed".formatted(tokens.quoteLine()));
        } else if (tokens.tooLong()) {
            // The reader marks this field as cut.
            rejectFirst(
                    row,
                    Reason.FIELD_TOO_LONG,
                    String.format(Locale.ROOT, "%s is longer than %,d bytes", field(column), fieldLimit));
        } else if (tokens.textAfterQuote()) {
            row.markOpenIncorrect();
            rejectFirst(
                    row,
                    Reason.TEXT_AFTER_QUOTE,
                    "%s has text after its closing quote; its quote opens on line %s"
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
                ? String.format(
                        Locale.ROOT,
                        "%s is not UTF-8: byte 0x%02X after %d bytes",
                        field(column),
                        row.bytes()[row.openStart() + bad] & 0xFF,
                        bad)
                : "%s contains bytes that are not %s, after %s bytes (counted in UTF-8)"
                        .formatted(field(column), encoding.name(), bad);
        row.markOpenIncorrect();
        rejectFirst(row, Reason.NOT_UTF8, message);
    }

    private static void rejectFirst(Row row, Reason reason, String message) {
        if (!row.isRejected()) {
            row.reject(reason, message);
        }
    }

    private static String field(String column) {
        return column.isEmpty() ? "a field beyond the last column" : "'" + column + "'";
    }
}
