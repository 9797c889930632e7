// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.load.source.Row;
import java.util.Arrays;

/** A byte buffer that is reused for every row. So writing to the buffer rarely allocates memory. */
final class Bytes {

    /** Maximum capacity that is kept between rows. */
    private static final int KEPT_BYTES = 64 * 1024;

    private byte[] array = new byte[256];
    private int length;

    /** The appended bytes, from 0 to {@link #length}. Valid until the next append. */
    byte[] array() {
        return array;
    }

    int length() {
        return length;
    }

    void clear() {
        length = 0;
        if (array.length > KEPT_BYTES) {
            array = new byte[KEPT_BYTES];
        }
    }

    Bytes append(byte[] source) {
        return append(source, 0, source.length);
    }

    Bytes append(byte[] source, int offset, int count) {
        ensureCapacity(count);
        System.arraycopy(source, offset, array, length, count);
        length += count;
        return this;
    }

    Bytes append(byte value) {
        ensureCapacity(1);
        array[length++] = value;
        return this;
    }

    /** Appends the value of {@code column}; nothing if it is NULL. */
    Bytes append(Row row, int column) {
        return append(row.bytes(), row.start(column), row.length(column));
    }

    /** Appends {@code value} as four bytes, the highest byte first. */
    Bytes append(int value) {
        ensureCapacity(4);
        for (int shift = 24; shift >= 0; shift -= 8) {
            array[length++] = (byte) (value >>> shift);
        }
        return this;
    }

    /** A copy of the appended bytes. */
    byte[] copy() {
        return Arrays.copyOf(array, length);
    }

    boolean contentEquals(byte[] other) {
        return Arrays.equals(array, 0, length, other, 0, other.length);
    }

    private void ensureCapacity(int count) {
        if (array.length - length < count) {
            // Near the maximum size of an array, grow only as much as needed, so that the sum does not overflow.
            int half = array.length >> 1;
            int grown = array.length <= Integer.MAX_VALUE - 8 - half ? array.length + half : 0;
            array = Arrays.copyOf(array, Math.max(Math.addExact(length, count), grown));
        }
    }
}
