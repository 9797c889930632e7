// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;

/** A growing buffer of bytes, which the values of a row reuse. Confined to one thread. */
final class ByteText {

    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    /** The largest capacity that stays after {@link #clear}. */
    private static final int KEPT_BYTES = 64 << 10;

    private byte[] bytes = new byte[256];
    private int length;

    void clear() {
        length = 0;
        if (bytes.length > KEPT_BYTES) {
            bytes = new byte[256];
        }
    }

    byte[] bytes() {
        return bytes;
    }

    int length() {
        return length;
    }

    void append(char ascii) {
        ensure(1);
        bytes[length++] = (byte) ascii;
    }

    /** Appends {@code text} in UTF-8. */
    void append(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) >= 0x80) {
                byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
                append(encoded, 0, encoded.length);
                return;
            }
        }
        ensure(text.length());
        for (int i = 0; i < text.length(); i++) {
            bytes[length++] = (byte) text.charAt(i);
        }
    }

    void append(byte[] source, int offset, int count) {
        ensure(count);
        System.arraycopy(source, offset, bytes, length, count);
        length += count;
    }

    /** Makes room for {@code count} bytes, and returns the position of the first byte. The caller writes the bytes. */
    int reserve(int count) {
        ensure(count);
        length += count;
        return length - count;
    }

    /** Appends {@code value} in decimal digits. */
    void append(long value) {
        if (value == Long.MIN_VALUE) {
            append(Long.toString(value));
            return;
        }
        if (value < 0) {
            append('-');
        }
        long rest = Math.abs(value);
        int digits = 1;
        for (long left = rest; left >= 10; left /= 10) {
            digits++;
        }
        appendDigits(rest, digits);
    }

    /** Appends the last {@code digits} digits of {@code value}, which is not negative. */
    void appendDigits(long value, int digits) {
        int at = reserve(digits) + digits;
        long rest = value;
        for (int i = 0; i < digits; i++) {
            bytes[--at] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
    }

    /** Replaces the bytes from {@code start} by a JSON string with these bytes, which are UTF-8. */
    void quoteFrom(int start) {
        byte[] text = Arrays.copyOfRange(bytes, start, length);
        length = start;
        append('"');
        for (byte b : text) {
            if (b == '"' || b == '\\') {
                append('\\');
                append((char) b);
            } else if (b >= 0 && b < 0x20) {
                append("\\u00");
                append((char) HEX[b >> 4]);
                append((char) HEX[b & 15]);
            } else {
                ensure(1);
                bytes[length++] = b;
            }
        }
        append('"');
    }

    /** Replaces the bytes from {@code start} by a JSON string with these bytes in Base64. */
    void base64From(int start) {
        byte[] encoded = Base64.getEncoder().encode(Arrays.copyOfRange(bytes, start, length));
        length = start;
        append('"');
        append(encoded, 0, encoded.length);
        append('"');
    }

    private void ensure(int count) {
        if (bytes.length - length < count) {
            bytes = Arrays.copyOf(bytes, Math.max(Math.addExact(length, count), bytes.length * 2));
        }
    }
}
