// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Converts between the bytes of a Redis bitmap and 64-bit words. The first bit is the most significant bit of the first
 * byte. A word is read in big-endian order, so the first bit is also the most significant bit of the word.
 */
final class Words {

    private static final VarHandle BIG_ENDIAN =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private Words() {}

    static void put(byte[] bytes, int index, long word) {
        BIG_ENDIAN.set(bytes, index << 3, word);
    }

    /** Returns {@code bytes} as {@code count} words. Missing bytes are zero. */
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

    /** Returns the bytes of {@code words}, without trailing zero bytes. */
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

    /** Returns the number of bits set in both arrays, from word {@code from} (inclusive) to {@code to} (exclusive). */
    static long countCommon(long[] one, long[] other, int from, int to) {
        long count = 0;
        for (int i = from; i < to; i++) {
            count += Long.bitCount(one[i] & other[i]);
        }
        return count;
    }

    /** Returns a word with the bits from {@code from} on set. {@code from} is 0 to 63. */
    static long suffixMask(int from) {
        return -1L >>> from;
    }

    /** Returns a word with the first {@code count} bits set. {@code count} is 1 to 64. */
    static long prefixMask(int count) {
        return -1L << (Long.SIZE - count);
    }
}
