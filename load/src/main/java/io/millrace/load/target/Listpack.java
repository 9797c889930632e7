// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

/**
 * Writes elements of a listpack, the compact form in which a server keeps a small hash. An element that is an integer
 * in decimal digits is stored as a number, as the server does.
 *
 * <pre>
 *   element   | first byte          | more bytes                         | backlen: length of the element so far |
 *             | 0xxxxxxx            |                                    |  integer 0 to 127
 *             | 10xxxxxx            | string of up to 63 bytes           |  x is the length
 *             | 110xxxxx            | 1 byte                             |  integer of 13 bits, highest bits first
 *             | 1110xxxx            | 1 byte, string of up to 4,095 bytes|  x and the byte are the length
 *             | 0xF0                | 4 bytes, string                    |  the bytes are the length
 *             | 0xF1 F2 F3 F4       | 2, 3, 4 or 8 bytes                 |  integer, lowest byte first
 * </pre>
 */
final class Listpack {

    /** Maximum number of bytes that an element needs in addition to its string. */
    static final int MAX_OVERHEAD = 10;

    /** Digits of the largest integer. */
    private static final int MAX_DIGITS = 19;

    /** Result for a text that has other characters than digits. Nineteen digits never have this value. */
    private static final long NO_DIGITS = -1;

    private Listpack() {}

    /**
     * Writes {@code length} bytes of {@code source} from {@code offset} as an element to {@code out} at {@code at}. The
     * caller provides {@code length + MAX_OVERHEAD} bytes.
     *
     * @return the position after the element
     */
    static int write(byte[] source, int offset, int length, byte[] out, int at) {
        boolean negative = length > 0 && source[offset] == '-';
        int first = negative ? offset + 1 : offset;
        long magnitude = magnitude(source, first, offset + length, negative);
        boolean integer = magnitude >= 0 || (negative && magnitude == Long.MIN_VALUE);
        int end = integer
                ? writeInteger(negative ? -magnitude : magnitude, out, at)
                : writeString(source, offset, length, out, at);
        return writeBacklen(end - at, out, end);
    }

    /**
     * The value of the digits as an unsigned number; {@link #NO_DIGITS} if the text is not a number as the server would
     * print the number.
     */
    private static long magnitude(byte[] source, int first, int end, boolean negative) {
        int digits = end - first;
        if (digits < 1 || digits > MAX_DIGITS) {
            return NO_DIGITS;
        }
        if (source[first] == '0') {
            return digits == 1 && !negative ? 0 : NO_DIGITS;
        }
        long value = 0;
        for (int i = first; i < end; i++) {
            int digit = source[i] - '0';
            if (digit < 0 || digit > 9) {
                return NO_DIGITS;
            }
            value = value * 10 + digit;
        }
        return value;
    }

    private static int writeInteger(long value, byte[] out, int at) {
        if (value >= 0 && value <= 127) {
            out[at] = (byte) value;
            return at + 1;
        }
        if (value >= -4_096 && value <= 4_095) {
            out[at] = (byte) (0xC0 | ((value >> 8) & 0x1f));
            out[at + 1] = (byte) value;
            return at + 2;
        }
        if (value == (short) value) {
            return writeLittleEndian(0xF1, value, 2, out, at);
        }
        if (value >= -(1 << 23) && value < 1 << 23) {
            return writeLittleEndian(0xF2, value, 3, out, at);
        }
        return value == (int) value
                ? writeLittleEndian(0xF3, value, 4, out, at)
                : writeLittleEndian(0xF4, value, 8, out, at);
    }

    private static int writeString(byte[] source, int offset, int length, byte[] out, int at) {
        int content = at + 1;
        if (length < 64) {
            out[at] = (byte) (0x80 | length);
        } else if (length < 4_096) {
            out[at] = (byte) (0xE0 | (length >> 8));
            out[at + 1] = (byte) length;
            content = at + 2;
        } else {
            content = writeLittleEndian(0xF0, length, 4, out, at);
        }
        System.arraycopy(source, offset, out, content, length);
        return content + length;
    }

    private static int writeLittleEndian(int firstByte, long value, int bytes, byte[] out, int at) {
        out[at] = (byte) firstByte;
        for (int i = 0; i < bytes; i++) {
            out[at + 1 + i] = (byte) (value >> (8 * i));
        }
        return at + 1 + bytes;
    }

    /** Writes a length for a reader that goes backwards: 7 bits a byte, the highest bits first. */
    private static int writeBacklen(int length, byte[] out, int at) {
        int bytes = 1;
        // The server, too, needs one byte more for the highest length of each size above one byte.
        while (bytes < 5 && length > (bytes == 1 ? 127 : (1 << (7 * bytes)) - 2)) {
            bytes++;
        }
        for (int i = 0; i < bytes; i++) {
            int bits = (length >> (7 * (bytes - 1 - i))) & 0x7f;
            out[at + i] = (byte) (i == 0 ? bits : bits | 0x80);
        }
        return at + bytes;
    }
}
