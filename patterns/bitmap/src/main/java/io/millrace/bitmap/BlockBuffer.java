// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import java.util.Arrays;

/**
 * Collects the marks of one block. The buffer stores few marks as a list of offsets, and many marks as bits. Not
 * thread-safe.
 */
final class BlockBuffer {

    /** Memory of an empty buffer in bytes: the objects and the map entry. */
    private static final int EMPTY_BYTES = 128;

    private final BlockSize size;
    private int[] offsets = new int[4];
    private int count;
    private long[] bits = {};

    BlockBuffer(BlockSize size) {
        this.size = size;
    }

    /** Adds the mark at {@code offset} of the block. Returns whether the memory use changed. */
    boolean add(int offset) {
        if (bits.length > 0) {
            set(offset);
            return false;
        }
        boolean full = count == offsets.length;
        if (full && count == maxOffsets()) {
            bits();
            set(offset);
            return true;
        }
        if (full) {
            offsets = Arrays.copyOf(offsets, 2 * count);
        }
        offsets[count++] = offset;
        return full;
    }

    /** Returns the approximate memory use in bytes. */
    long bytes() {
        return EMPTY_BYTES + (long) offsets.length * Integer.BYTES + (long) bits.length * Long.BYTES;
    }

    /** Returns the number of distinct marks. */
    long marks() {
        return bits.length == 0 ? distinct().length : Words.count(bits);
    }

    /** Returns whether there are at most {@code max} distinct marks. */
    boolean hasAtMost(int max) {
        return bits.length == 0 && (count <= max || distinct().length <= max);
    }

    /**
     * Returns the ids of the marks. {@code number} is the number of the block. The caller must not call this method
     * after the marks were converted to bits.
     */
    long[] ids(long number) {
        return Arrays.stream(distinct())
                .mapToLong(offset -> (number << size.shift()) + offset)
                .toArray();
    }

    /** Converts the marks to bits, and returns the bits. */
    long[] bits() {
        if (bits.length == 0) {
            bits = new long[size.words()];
            for (int i = 0; i < count; i++) {
                set(offsets[i]);
            }
            offsets = new int[0];
        }
        return bits;
    }

    /** Returns the maximum length of the list. A list of this length takes half of the memory of the bits. */
    private int maxOffsets() {
        return size.bytes() / Integer.BYTES / 2;
    }

    private int[] distinct() {
        return Arrays.stream(offsets, 0, count).sorted().distinct().toArray();
    }

    private void set(int offset) {
        bits[offset >>> 6] |= Long.MIN_VALUE >>> (offset & 63);
    }
}
