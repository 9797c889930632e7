// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import io.millrace.load.source.JsonOptions.Layout;
import io.millrace.load.source.JsonRecord.Flaw;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Splits a JSON input into records, without parsing them.
 *
 * <p>DESIGN: a parser cannot continue after a syntax error, but a load must. So this class finds the end of each record
 * first, and the record is parsed separately. A malformed, too deep or too long record then concerns only its own
 * bytes.
 *
 * <pre>
 *   LINES      {"id":1} \n {"id":2} \n      a record ends at the end of its line
 *   DOCUMENT   [ {"id":1} , {"id":2} ]      a record is an element of an array: it ends with the bracket that closes it.
 *              {"id":1} {"id":2}            Records may also follow each other without an array.
 * </pre>
 *
 * <p>To find the closing bracket, the class counts brackets outside of strings. The count needs no memory for the depth
 * of a record. The bytes of a record are kept up to the limit; of a longer record, only the beginning is kept.
 *
 * <p>Blocks while the stream blocks. Confined to one thread.
 */
final class JsonRecords {

    /** Number of bytes that are kept of a record that is too long. */
    static final int KEPT_OF_BAD_RECORD = 1_024;

    private static final int BUFFER_BYTES = 64 * 1024;
    private static final byte[] UTF8_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

    private final InputStream in;
    private final Layout layout;
    private final int recordLimit;
    private byte[] buffer = new byte[BUFFER_BYTES];
    /** The first byte that belongs to no earlier record. */
    private int pos;

    private int limit;
    private boolean ended;
    private boolean begun;
    /** The line of {@link #pos}. */
    private long line = 1;

    /** DOCUMENT: whether {@link #pos} is inside an array of records. */
    private boolean inArray;
    /** DOCUMENT: whether a comma must precede the next record. */
    private boolean needsComma;

    /** DOCUMENT: whether the input has ended inside a record. */
    private boolean endedInside;

    /** The failure that ended the reading. It is thrown again, so that a caller may continue to the failure later. */
    private @Nullable IOException failure;

    /** The bitwise OR of all bytes of the record; negative if a byte is not ASCII. */
    private int seen;

    /** The beginning of a record that is too long; null while the record fits. */
    private byte @Nullable [] kept;

    JsonRecords(InputStream in, Layout layout, int recordLimit) {
        this.in = in;
        this.layout = layout;
        this.recordLimit = recordLimit;
    }

    /** The line of the current position. */
    long line() {
        return line;
    }

    /**
     * Reads the next record. Returns null at the end of the input.
     *
     * @throws IOException if reading fails, or if no further record can be found
     */
    @Nullable
    JsonRecord next() throws IOException {
        if (failure != null) {
            throw failure;
        }
        try {
            if (!begun) {
                begun = true;
                skipMark();
            }
            return layout == Layout.LINES ? nextLine() : nextElement();
        } catch (IOException e) {
            failure = e;
            throw e;
        }
    }

    private void skipMark() throws IOException {
        boolean more = true;
        while (more && limit < UTF8_MARK.length) {
            more = fillMore(0);
        }
        if (limit >= UTF8_MARK.length && Arrays.equals(buffer, 0, UTF8_MARK.length, UTF8_MARK, 0, UTF8_MARK.length)) {
            pos = UTF8_MARK.length;
        }
    }

    // LINES

    private @Nullable JsonRecord nextLine() throws IOException {
        while (true) {
            kept = null;
            seen = 0;
            int length = lineLength();
            boolean atEnd = length < 0;
            int size = atEnd ? limit - pos : length;
            JsonRecord record = trimmed(size, Flaw.NONE);
            pos += size;
            if (!atEnd) {
                pos++;
                line++;
            }
            if (record.length() > 0) {
                return record;
            }
            if (atEnd) {
                return null;
            }
        }
    }

    /** The number of bytes from {@link #pos} to the next line end; -1 if the input ends before a line end. */
    private int lineLength() throws IOException {
        int at = pos;
        while (true) {
            byte[] bytes = buffer;
            int end = limit;
            int or = 0;
            while (at < end && bytes[at] != '\n') {
                or |= bytes[at++];
            }
            seen |= or;
            if (at < end) {
                return at - pos;
            }
            int scanned = keepOrDrop(at - pos);
            if (!fillMore(scanned)) {
                return -1;
            }
            at = pos + scanned;
        }
    }

    // DOCUMENT

    private @Nullable JsonRecord nextElement() throws IOException {
        if (endedInside) {
            throw new IOException("the input ends inside a record");
        }
        int first = toElement();
        if (first < 0) {
            return null;
        }
        kept = null;
        seen = 0;
        long begin = line;
        int size = first == '{' || first == '[' || first == '"' ? structureLength() : scalarLength();
        boolean closed = size >= 0;
        int bytes = closed ? size : limit - pos;
        JsonRecord record = trimmed(bytes, closed ? Flaw.NONE : Flaw.NOT_CLOSED);
        pos += bytes;
        needsComma = inArray;
        endedInside = !closed;
        return new JsonRecord(
                record.bytes(), record.start(), record.length(), record.hasNonAscii(), begin, record.flaw());
    }

    /** Skips white space, brackets of arrays and commas before the next element. Returns its first byte, or -1. */
    private int toElement() throws IOException {
        boolean commaSeen = false;
        while (pos < limit || fillMore(0)) {
            byte b = buffer[pos];
            if (b == '\n') {
                line++;
            } else if (!isSpace(b)) {
                if (b == ',' && needsComma && !commaSeen) {
                    commaSeen = true;
                } else if (b == ']' && inArray && !commaSeen) {
                    inArray = false;
                    needsComma = false;
                } else if (b == '[' && !inArray) {
                    inArray = true;
                } else if (b == ',' || b == ']' || b == '}' || b == ':' || (needsComma && !commaSeen)) {
                    throw new IOException("the JSON input is malformed: unexpected '" + shown(b) + "' between records");
                } else {
                    return b;
                }
            }
            pos++;
        }
        if (inArray) {
            throw new IOException("the JSON array is not closed: the input ends early");
        }
        return -1;
    }

    /** The length of the object, array or string at {@link #pos}; -1 if the input ends inside. */
    private int structureLength() throws IOException {
        int at = pos;
        int depth = 0;
        boolean inText = false;
        boolean escaped = false;
        while (true) {
            for (; at < limit; at++) {
                byte b = buffer[at];
                seen |= b;
                if (b == '\n') {
                    line++;
                }
                if (inText) {
                    inText = escaped || b != '"';
                    escaped = b == '\\' && !escaped;
                } else if (b == '"') {
                    inText = true;
                } else if (b == '{' || b == '[') {
                    depth++;
                } else if (b == '}' || b == ']') {
                    depth--;
                }
                if (depth == 0 && !inText) {
                    return at + 1 - pos;
                }
            }
            int scanned = keepOrDrop(at - pos);
            if (!fillMore(scanned)) {
                return -1;
            }
            at = pos + scanned;
        }
    }

    /** The length of the number or word at {@link #pos}. */
    private int scalarLength() throws IOException {
        int at = pos;
        while (true) {
            for (; at < limit; at++) {
                byte b = buffer[at];
                if (isSpace(b) || b == ',' || b == ']' || b == '}' || b == '[' || b == '{' || b == '"') {
                    return at - pos;
                }
            }
            int scanned = keepOrDrop(at - pos);
            if (!fillMore(scanned)) {
                return limit - pos;
            }
            at = pos + scanned;
        }
    }

    // Common

    /**
     * Drops the scanned bytes of a record that is too long, so that the buffer does not grow above the limit.
     *
     * @return the number of scanned bytes that are still in the buffer
     */
    private int keepOrDrop(int scanned) {
        if (kept == null && scanned <= recordLimit) {
            return scanned;
        }
        if (kept == null) {
            kept = Arrays.copyOfRange(buffer, pos, pos + Math.min(scanned, KEPT_OF_BAD_RECORD));
        }
        pos = limit;
        return 0;
    }

    /** The record of {@code size} bytes at {@link #pos}, without white space around it. */
    private JsonRecord trimmed(int size, Flaw flaw) {
        byte[] beginning = kept;
        if (beginning == null && size > recordLimit) {
            beginning = Arrays.copyOfRange(buffer, pos, pos + Math.min(size, KEPT_OF_BAD_RECORD));
        }
        if (beginning != null) {
            Flaw worst = flaw == Flaw.NONE ? Flaw.TOO_LONG : flaw;
            return new JsonRecord(beginning, 0, beginning.length, seen < 0, line, worst);
        }
        int from = pos;
        int to = pos + size;
        while (from < to && isSpace(buffer[from])) {
            from++;
        }
        while (to > from && isSpace(buffer[to - 1])) {
            to--;
        }
        return new JsonRecord(buffer, from, to - from, seen < 0, line, flaw);
    }

    /**
     * Reads more bytes after the {@code kept} bytes from {@link #pos}, which move to the beginning of the buffer. The
     * buffer grows if it is full.
     */
    private boolean fillMore(int keep) throws IOException {
        // Do not read again after the end, because a terminal would wait for more input.
        if (ended) {
            return false;
        }
        if (pos > 0) {
            System.arraycopy(buffer, pos, buffer, 0, keep);
            pos = 0;
            limit = keep;
        }
        if (limit == buffer.length) {
            buffer = Arrays.copyOf(buffer, Math.multiplyExact(buffer.length, 2));
        }
        int count = in.read(buffer, limit, buffer.length - limit);
        ended = count < 0;
        limit += Math.max(count, 0);
        return !ended;
    }

    private static boolean isSpace(byte b) {
        return b == ' ' || b == '\n' || b == '\r' || b == '\t';
    }

    private static String shown(byte b) {
        return b > ' ' && b < 0x7F ? Character.toString((char) b) : "byte 0x%02X".formatted(b & 0xFF);
    }
}
