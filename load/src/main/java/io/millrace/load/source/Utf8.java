// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

/** Encodes characters, and checks bytes for strict UTF-8: no overlong forms, no surrogates, no code point above U+10FFFF. */
final class Utf8 {

    /** The most bytes for one {@code char}. A surrogate pair has two, and four bytes. */
    static final int MAX_BYTES = 3;

    private Utf8() {}

    /**
     * Whether any of the {@code count} bytes from {@code start} is not ASCII. A fast check before {@link #firstBad}.
     */
    static boolean hasNonAscii(byte[] bytes, int start, int count) {
        int seen = 0;
        for (int i = start; i < start + count; i++) {
            seen |= bytes[i];
        }
        return seen < 0;
    }

    /**
     * Finds the first byte that is not part of a valid character.
     *
     * @return its position relative to {@code start}; -1 if all {@code count} bytes are UTF-8
     */
    static int firstBad(byte[] bytes, int start, int count) {
        int end = start + count;
        int i = start;
        while (i < end) {
            if (bytes[i] >= 0) {
                i++;
                continue;
            }
            int size = sequence(bytes, i, end);
            if (size == 0) {
                return i - start;
            }
            i += size;
        }
        return -1;
    }

    /** The number of bytes of the non-ASCII character at {@code i}; 0 if it is invalid. */
    private static int sequence(byte[] bytes, int i, int end) {
        int first = bytes[i] & 0xFF;
        int size = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
        if (size == 0 || end - i < size) {
            return 0;
        }
        int second = bytes[i + 1] & 0xFF;
        int least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
        int most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
        if (second < least || second > most) {
            return 0;
        }
        for (int k = 2; k < size; k++) {
            if ((bytes[i + k] & 0xC0) != 0x80) {
                return 0;
            }
        }
        return size;
    }

    /**
     * Encodes the characters from {@code from} to {@code end}. The target needs {@link #MAX_BYTES} bytes for each.
     *
     * @return the end of the bytes in {@code target}. If the characters contain half of a surrogate pair, which UTF-8 cannot
     *     represent, the bitwise complement of the end of the bytes before this character, which is negative
     */
    static int encode(char[] text, int from, int end, byte[] target, int at) {
        int to = at;
        for (int i = from; i < end; i++) {
            char c = text[i];
            if (c < 0x80) {
                target[to++] = (byte) c;
            } else if (c < 0x800) {
                target[to++] = (byte) (0xC0 | (c >> 6));
                target[to++] = (byte) (0x80 | (c & 0x3F));
            } else if (!Character.isSurrogate(c)) {
                target[to++] = (byte) (0xE0 | (c >> 12));
                target[to++] = (byte) (0x80 | ((c >> 6) & 0x3F));
                target[to++] = (byte) (0x80 | (c & 0x3F));
            } else if (i + 1 < end && Character.isSurrogatePair(c, text[i + 1])) {
                i++;
                int point = Character.toCodePoint(c, text[i]);
                target[to++] = (byte) (0xF0 | (point >> 18));
                target[to++] = (byte) (0x80 | ((point >> 12) & 0x3F));
                target[to++] = (byte) (0x80 | ((point >> 6) & 0x3F));
                target[to++] = (byte) (0x80 | (point & 0x3F));
            } else {
                return ~to;
            }
        }
        return to;
    }
}
