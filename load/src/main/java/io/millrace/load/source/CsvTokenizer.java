// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * Cuts bytes into records and fields by RFC 4180 and says of each field what was wrong with it.
 *
 * <pre>
 *   DESIGN: why this is not a CSV library
 *
 *   A bad record must be a rejected row, and reading must go on with the next one. FastCSV, the library of choice, either
 *   throws at text after a closing quote, in the middle of its buffer, and cannot be resumed there; or, told to allow it,
 *   joins the text with the field without saying so. A quote that is never closed is likewise an exception or a silent
 *   field, and a field over the limit ends the parser for good. Finding the next record from outside takes a second
 *   tokenizer, so there is this one alone; FastCSV checks it in the tests. Working on bytes it also spares decoding:
 *   every byte that matters to CSV is ASCII, and in UTF-8 no other byte looks like one.
 *
 *   After an error   text after a closing quote belongs to the field, up to the next delimiter or line end
 *                    a field over the limit is read to its end, but only its beginning is kept
 *                    a quote never closed takes everything to the end of the input, and no more than the limit is kept
 *   Line ends        LF, CR LF and CR, as in FastCSV. An empty line is no record.
 *   Quotes           mean something only at the beginning of a field: ab"c is four characters.
 * </pre>
 *
 * <p>Blocks in the stream; confined to one thread. Holds one buffer and the field being read.
 */
final class CsvTokenizer {

    /** Quotes nothing, since no byte equals it. */
    static final int NO_QUOTE = -1_000;

    /** What is kept of a field that is too long or not closed, so that a person can recognise it. */
    static final int KEPT_OF_BAD_FIELD = 1_024;

    /** Enough that a system call per buffer costs nothing; measured, larger ones gain nothing. */
    private static final int BUFFER_BYTES = 64 * 1024;

    private final InputStream in;
    private final byte delimiter;
    private final int quote;
    private final int fieldLimit;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private int pos;
    private int limit;
    private boolean ended;
    /** The physical line of {@link #pos}. */
    private long line = 1;
    /** The last byte was a CR, so an LF now belongs to it. */
    private boolean afterCr;
    /** The last field of the record has been read. */
    private boolean recordEnded = true;

    // What is known of the last field.
    private boolean quoted;
    private boolean textAfterQuote;
    private boolean notClosed;
    private boolean tooLong;
    private long quoteLine;
    /** All bytes or'ed: negative if one of them is not ASCII. */
    private int seen;

    CsvTokenizer(InputStream in, char delimiter, int quote, int fieldLimit) {
        this.in = in;
        this.delimiter = (byte) delimiter;
        this.quote = quote;
        this.fieldLimit = fieldLimit;
    }

    /**
     * Reads the first bytes and steps over {@code mark} if they are it.
     *
     * @return whether they were
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

    /** Goes to the next record, over empty lines; false at the end of the input. */
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
            } else {
                afterCr = false;
                recordEnded = false;
                return true;
            }
            pos++;
        }
        return false;
    }

    /** The physical line of what is read next. */
    long line() {
        return line;
    }

    /** Whether the record has no more fields. */
    boolean recordEnded() {
        return recordEnded;
    }

    /** Reads the next field of the record and appends it to {@code row}, whose {@link Row#end} is left to the caller. */
    void field(Row row) throws IOException {
        quoted = false;
        textAfterQuote = false;
        notClosed = false;
        tooLong = false;
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

    boolean notClosed() {
        return notClosed;
    }

    boolean tooLong() {
        return tooLong;
    }

    boolean hasNonAscii() {
        return seen < 0;
    }

    /** The line on which the quote of the last quoted field opened. */
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
        notClosed = true;
        recordEnded = true;
        row.cutOpen(KEPT_OF_BAD_FIELD);
    }

    /** Where the next quote is, or the end of the buffer; counts the lines on the way. */
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

    /** Appends bytes of the buffer to the field, as long as it is not too long. */
    private void keep(Row row, int start, int count) {
        if (tooLong) {
            return;
        }
        if (row.openLength() + count > fieldLimit) {
            tooLong = true;
            row.append(buffer, start, Math.min(count, KEPT_OF_BAD_FIELD));
            row.cutOpen(Math.min(fieldLimit, KEPT_OF_BAD_FIELD));
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
        // Asked again after its end, a terminal would wait for more.
        if (ended) {
            return false;
        }
        int count = in.read(buffer, limit, buffer.length - limit);
        ended = count < 0;
        limit += Math.max(count, 0);
        return !ended;
    }
}
