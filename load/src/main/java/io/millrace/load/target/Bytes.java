// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.load.source.Row;
import java.io.OutputStream;
import java.util.Arrays;

/** Bytes that are appended, read and forgotten for row after row, without an allocation once they have grown. */
final class Bytes {

    /** Room that is kept between rows; more than this is given back. */
    private static final int KEPT_BYTES = 64 * 1024;

    private byte[] array = new byte[256];
    private int length;

    /** What has been appended, from 0 to {@link #length}; valid until the next append. */
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
        ensureRoom(count);
        System.arraycopy(source, offset, array, length, count);
        length += count;
        return this;
    }

    /** Appends the value of {@code column}; nothing if it is NULL. */
    Bytes append(Row row, int column) {
        return append(row.bytes(), row.start(column), row.length(column));
    }

    /** Appends {@code value} as four bytes. */
    Bytes append(int value) {
        ensureRoom(4);
        for (int shift = 24; shift >= 0; shift -= 8) {
            array[length++] = (byte) (value >>> shift);
        }
        return this;
    }

    boolean contentEquals(byte[] other) {
        return Arrays.equals(array, 0, length, other, 0, other.length);
    }

    /** A stream that appends here; it buffers nothing, and closing it does nothing. */
    OutputStream asStream() {
        return new OutputStream() {
            @Override
            public void write(int value) {
                ensureRoom(1);
                array[length++] = (byte) value;
            }

            @Override
            public void write(byte[] source, int offset, int count) {
                append(source, offset, count);
            }
        };
    }

    private void ensureRoom(int count) {
        if (array.length - length < count) {
            // Near the limit of an array, grow by what is needed and no more, so that the sum does not overflow.
            int half = array.length >> 1;
            int roomy = array.length <= Integer.MAX_VALUE - 8 - half ? array.length + half : 0;
            array = Arrays.copyOf(array, Math.max(Math.addExact(length, count), roomy));
        }
    }
}
