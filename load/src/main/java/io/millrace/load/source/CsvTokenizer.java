// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * Splits bytes into records and fields as in RFC 4180, and reports the errors of each field.
 *
 * <p>DESIGN: why this is not a CSV library. A bad record must become a rejected row, and reading must continue with the
 * next record. FastCSV, the usual library, does not permit this:
 *
 * <ul>
 *   <li>At text after a closing quote, FastCSV throws an exception in the middle of its buffer, and cannot continue
 *       there. With another setting, FastCSV appends the text to the field without an error.
 *   <li>At a quote that is never closed, FastCSV throws an exception or accepts the field.
 *   <li>At a field above the limit, FastCSV ends the parsing.
 * </ul>
 *
 * <p>To find the next record without FastCSV, the source would need a second tokenizer. So this class is the only
 * tokenizer, and the tests compare it with FastCSV. It works on bytes, without decoding: every byte with a meaning in
 * CSV is ASCII, and no other UTF-8 byte has the value of an ASCII byte.
 *
 * <pre>
 *   After an error   text after a closing quote belongs to the field, up to the next delimiter or line end
 *                    a field above the limit is read to its end, but only its beginning is kept
 *                    a quote that is never closed includes the rest of the input, and only its beginning is kept
 *   Line ends        LF, CR LF and CR, as in FastCSV. An empty line is not a record.
 *   Quotes           have a meaning only at the beginning of a field: ab"c is four characters.
 * </pre>
 *
 * <p>Blocks while the stream blocks. Confined to one thread. Holds one buffer and the current field in memory.
 */
final class CsvTokenizer {

    /** The value of the quote character if the file has no quotes. No byte has this value. */
    static final int NO_QUOTE = -1_000;

    /** The value of the comment character if the file has no comments. No byte has this value. */
    static final int NO_COMMENT = -1_000;

    /**
     * Number of bytes that are kept of a field that is too long or has no closing quote. With these bytes the user can
     * identify the field.
     */
    static final int KEPT_OF_BAD_FIELD = 1_024;

    /** The buffer is so large that system calls cost little. Measurements with larger buffers were not faster. */
    private static final int BUFFER_BYTES = 64 * 1024;

    private final InputStream in;
    private final byte delimiter;
    private final int quote;
    private final int comment;
    private final int fieldLimit;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private int pos;
    private int limit;
    private boolean ended;
    /** The physical line on which {@link #pos} is. Line ends inside quotes count, too. */
    private long line = 1;
    /** Whether the last byte was a CR. A following LF then belongs to the same line end. */
    private boolean afterCr;
    /** Whether the last field of the current record has been read. */
    private boolean recordEnded = true;

    // The state of the field that was read last.
    private boolean quoted;
    private boolean textAfterQuote;
    private boolean unclosedQuote;
    private boolean tooLong;
    private boolean cut;
    private long quoteLine;
    /** The bitwise OR of all bytes of the field; negative if a byte is not ASCII. */
    private int seen;

    CsvTokenizer(InputStream in, char delimiter, int quote, int comment, int fieldLimit) {
        this.in = in;
        this.delimiter = (byte) delimiter;
        this.quote = quote;
        this.comment = comment;
        this.fieldLimit = fieldLimit;
    }

    /**
     * Skips the bytes {@code mark} if the input begins with these bytes.
     *
     * @return whether the input begins with {@code mark}
     */
    boolean skip(byte[] mark) throws IOException {
        boolean more = true;
        while (more && limit < mark.length) {
            more = fillMore();
        }
        if (limit < mark.length || !Arrays.equals(buffer, 0, mark.length, mark, 0, mark.length)) {
            return false;
        }
        pos = mark.length;
        return true;
    }

    /** Skips the rest of the current line, without regard to quotes. Returns false at the end of the input. */
    boolean skipLine() throws IOException {
        boolean skipped = false;
        while (pos < limit || fill()) {
            byte b = buffer[pos++];
            boolean endOfCrLf = b == '\n' && afterCr;
            afterCr = b == '\r';
            if (!endOfCrLf) {
                skipped = true;
                if (b == '\n' || b == '\r') {
                    line++;
                    return true;
                }
            }
        }
        return skipped;
    }

    /** Moves to the next record and skips empty lines and comments. Returns false at the end of the input. */
    boolean nextRecord() throws IOException {
        while (pos < limit || fill()) {
            byte b = buffer[pos];
            if (b == '\n') {
                if (!afterCr) {
                    line++;
                }
                afterCr = false;
            } else if (b == '\r') {
                line++;
                afterCr = true;
            } else if (b == comment) {
                skipLine();
                continue;
            } else {
                afterCr = false;
                recordEnded = false;
                return true;
            }
            pos++;
        }
        return false;
    }

    /** The physical line of the current position. */
    long line() {
        return line;
    }

    /** Whether all fields of the current record have been read. */
    boolean recordEnded() {
        return recordEnded;
    }

    /** Reads the next field and appends it to the open value of {@code row}. The caller calls {@link Row#end}. */
    void field(Row row) throws IOException {
        quoted = false;
        textAfterQuote = false;
        unclosedQuote = false;
        tooLong = false;
        cut = false;
        seen = 0;
        if ((pos < limit || fill()) && buffer[pos] == quote) {
            pos++;
            quoted(row);
        } else {
            plain(row);
        }
    }

    boolean quoted() {
        return quoted;
    }

    boolean textAfterQuote() {
        return textAfterQuote;
    }

    boolean unclosedQuote() {
        return unclosedQuote;
    }

    boolean tooLong() {
        return tooLong;
    }

    /** Whether only the beginning of the field was kept. */
    boolean cut() {
        return cut;
    }

    boolean hasNonAscii() {
        return seen < 0;
    }

    /** The line on which the quote of the last quoted field opens. */
    long quoteLine() {
        return quoteLine;
    }

    private void plain(Row row) throws IOException {
        do {
            int start = pos;
            int p = start;
            int end = limit;
            byte[] bytes = buffer;
            int or = 0;
            while (p < end) {
                byte b = bytes[p];
                if (b == delimiter || b == '\n' || b == '\r') {
                    break;
                }
                or |= b;
                p++;
            }
            seen |= or;
            keep(row, start, p - start);
            pos = p;
            if (p < end) {
                endField(bytes[p]);
                return;
            }
        } while (fill());
        recordEnded = true;
    }

    private void endField(byte b) {
        pos++;
        if (b == delimiter) {
            return;
        }
        recordEnded = true;
        line++;
        afterCr = b == '\r';
    }

    private void quoted(Row row) throws IOException {
        quoted = true;
        quoteLine = line;
        while (pos < limit || fill()) {
            int start = pos;
            int p = toQuote(start);
            keep(row, start, p - start);
            pos = p;
            if (p == limit) {
                continue;
            }
            pos++;
            if (pos == limit && !fill()) {
                recordEnded = true;
                return;
            }
            byte next = buffer[pos];
            if (next != quote) {
                afterClosingQuote(next, row);
                return;
            }
            keep(row, pos, 1);
            pos++;
            afterCr = false;
        }
        unclosedQuote = true;
        recordEnded = true;
        cut |= row.openLength() > KEPT_OF_BAD_FIELD;
        row.truncateOpen(KEPT_OF_BAD_FIELD);
    }

    /**
     * Returns the position of the next quote, or the end of the buffer if the buffer contains no further quote. Counts
     * the line ends before this position.
     */
    private int toQuote(int start) {
        byte[] bytes = buffer;
        int end = limit;
        int or = 0;
        int p = start;
        while (p < end) {
            byte b = bytes[p];
            if (b == quote) {
                break;
            }
            or |= b;
            if (b == '\n') {
                line += afterCr ? 0 : 1;
            } else if (b == '\r') {
                line++;
            }
            afterCr = b == '\r';
            p++;
        }
        seen |= or;
        return p;
    }

    private void afterClosingQuote(byte next, Row row) throws IOException {
        afterCr = false;
        if (next == delimiter || next == '\n' || next == '\r') {
            endField(next);
            return;
        }
        textAfterQuote = true;
        row.append(new byte[] {(byte) quote}, 0, 1);
        plain(row);
    }

    /** Appends bytes of the buffer to the field, up to the field limit. */
    private void keep(Row row, int start, int count) {
        if (tooLong) {
            return;
        }
        if (row.openLength() + count > fieldLimit) {
            tooLong = true;
            cut = true;
            row.append(buffer, start, Math.min(count, KEPT_OF_BAD_FIELD));
            row.truncateOpen(Math.min(fieldLimit, KEPT_OF_BAD_FIELD));
            return;
        }
        row.append(buffer, start, count);
    }

    private boolean fill() throws IOException {
        pos = 0;
        limit = 0;
        return fillMore();
    }

    private boolean fillMore() throws IOException {
        // Do not read again after the end, because a terminal would wait for more input.
        if (ended) {
            return false;
        }
        int count = in.read(buffer, limit, buffer.length - limit);
        ended = count < 0;
        limit += Math.max(count, 0);
        return !ended;
    }
}
