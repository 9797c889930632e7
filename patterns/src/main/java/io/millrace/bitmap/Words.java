// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Bits in bytes as Redis has them, and in words of 64. The first bit is the most significant one of the first byte, so of a word
 * that is read in big-endian order it is the most significant one too.
 */
final class Words {

    private static final VarHandle BIG_ENDIAN =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private Words() {}

    static void put(byte[] bytes, int index, long word) {
        BIG_ENDIAN.set(bytes, index << 3, word);
    }

    /** The words of {@code bytes}, {@code count} of them; what is missing is zero. */
    static long[] of(byte[] bytes, int count) {
        long[] words = new long[count];
        int whole = Math.min(count, bytes.length >>> 3);
        for (int i = 0; i < whole; i++) {
            words[i] = (long) BIG_ENDIAN.get(bytes, i << 3);
        }
        for (int i = whole << 3; i < Math.min(bytes.length, count << 3); i++) {
            words[i >>> 3] |= (bytes[i] & 0xffL) << (56 - ((i & 7) << 3));
        }
        return words;
    }

    /** The bytes of {@code words} up to the last that is not zero. */
    static byte[] trimmed(long[] words) {
        int count = words.length;
        while (count > 0 && words[count - 1] == 0) {
            count--;
        }
        if (count == 0) {
            return new byte[0];
        }
        byte[] bytes = new byte[count << 3];
        for (int i = 0; i < count; i++) {
            put(bytes, i, words[i]);
        }
        int length = bytes.length - (Long.numberOfTrailingZeros(words[count - 1]) >>> 3);
        return Arrays.copyOf(bytes, length);
    }

    static long count(long[] words) {
        long count = 0;
        for (long word : words) {
            count += Long.bitCount(word);
        }
        return count;
    }

    /** How many bits both have. */
    static long common(long[] one, long[] other, int from, int to) {
        long count = 0;
        for (int i = from; i < to; i++) {
            count += Long.bitCount(one[i] & other[i]);
        }
        return count;
    }

    /** A word whose bits from {@code from} on, 0 to 63, are set. */
    static long from(int from) {
        return -1L >>> from;
    }

    /** A word whose first {@code count} bits, 1 to 64, are set. */
    static long first(int count) {
        return -1L << (Long.SIZE - count);
    }
}
