// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.load.source.JsonNumber;
import io.millrace.load.source.Rejection;
import io.millrace.load.source.Row;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;
import tools.jackson.core.io.SerializedString;

/**
 * Renders a row as a JSON object with one member per written column, in the order of the columns.
 *
 * <p>Numbers and booleans keep their type, text becomes a string, and bytes become a base64 string (RFC 4648, padded,
 * on one line). A JSON value of the source, such as an array, is a member with the same bytes. NULL is left out,
 * written as the JSON value {@code null}, or written as a string, as the options of the target say. A number that JSON
 * does not allow, such as {@code NaN}, becomes a string.
 *
 * <p>The values of a row are UTF-8 already. So this class copies their bytes, and does not use a JSON generator, which
 * took a quarter of the time of the loading thread.
 */
final class JsonDocument implements RowValue {

    private static final byte QUOTE = '"';
    private static final byte[] NULL = ascii("null");
    private static final byte[] TRUE = ascii("true");
    private static final byte[] FALSE = ascii("false");

    /** What an ASCII character is in a string: the escape of Jackson, or the character. */
    private static final byte[][] ESCAPED = new byte[128][];

    /** Whether an ASCII character needs an escape. */
    private static final boolean[] NEEDS_ESCAPE = new boolean[ESCAPED.length];

    static {
        for (char c = 0; c < ESCAPED.length; c++) {
            ESCAPED[c] = new SerializedString(String.valueOf(c)).asQuotedUTF8();
            NEEDS_ESCAPE[c] = ESCAPED[c].length > 1;
        }
    }

    private final SelectedColumns columns;

    /** For each written column, what precedes its value: {@code ,"name":}. */
    private final byte[][] names;

    JsonDocument(SelectedColumns columns, ColumnNames columnNames) {
        this.columns = columns;
        this.names = new byte[columns.size()][];
        for (int i = 0; i < names.length; i++) {
            names[i] = new Bytes()
                    .append((byte) ',')
                    .append(QUOTE)
                    .append(new SerializedString(columnNames.name(columns.column(i))).asQuotedUTF8())
                    .append(QUOTE)
                    .append((byte) ':')
                    .copy();
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public Optional<Rejection> checkValue(Row row) {
        return columns.checkValue(row);
    }

    @Override
    public void render(Row row, Bytes out) {
        out.append((byte) '{');
        int comma = 1; // the first member has none
        for (int i = 0; i < names.length; i++) {
            int column = columns.column(i);
            if (columns.isWritten(row, column)) {
                out.append(names[i], comma, names[i].length - comma);
                comma = 0;
                appendValue(row, column, out);
            }
        }
        out.append((byte) '}');
    }

    private void appendValue(Row row, int column, Bytes out) {
        byte[] bytes = row.bytes();
        int start = row.start(column);
        int length = row.length(column);
        switch (row.kind(column)) {
            case NULL -> appendNull(out);
            case TEXT -> appendString(bytes, start, length, out);
            case NUMBER -> {
                if (JsonNumber.matches(bytes, start, length)) {
                    out.append(bytes, start, length);
                } else {
                    appendString(bytes, start, length, out);
                }
            }
            case BOOLEAN -> out.append(length > 0 && bytes[start] == 't' ? TRUE : FALSE);
            case BYTES -> appendBase64(bytes, start, length, out);
            case JSON -> out.append(bytes, start, length);
        }
    }

    private void appendNull(Bytes out) {
        if (columns.nullIsJson()) {
            out.append(NULL);
        } else {
            appendString(columns.nullText(), 0, columns.nullText().length, out);
        }
    }

    /** Copies the bytes between two characters that need an escape at once; usually there is no such character. */
    private static void appendString(byte[] bytes, int start, int length, Bytes out) {
        out.append(QUOTE);
        int end = start + length;
        int copied = start;
        for (int i = start; i < end; i++) {
            if (bytes[i] >= 0 && NEEDS_ESCAPE[bytes[i]]) {
                out.append(bytes, copied, i - copied).append(ESCAPED[bytes[i]]);
                copied = i + 1;
            }
        }
        out.append(bytes, copied, end - copied).append(QUOTE);
    }

    private static void appendBase64(byte[] bytes, int start, int length, Bytes out) {
        ByteBuffer encoded = Base64.getEncoder().encode(ByteBuffer.wrap(bytes, start, length));
        out.append(QUOTE)
                .append(encoded.array(), encoded.arrayOffset() + encoded.position(), encoded.remaining())
                .append(QUOTE);
    }
}
