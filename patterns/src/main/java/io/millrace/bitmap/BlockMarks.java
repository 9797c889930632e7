// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import java.util.Arrays;

/** Marks of one block that come together: a list of their offsets while they are few, and then bits. Belongs to one thread. */
final class BlockMarks {

    /** Of the objects, and of the place in a map. */
    private static final int BYTES_OF_AN_EMPTY_ONE = 128;

    /** The longest list; it takes half of what the bits take. */
    private static final int LONGEST = Blocks.BYTES / Integer.BYTES / 2;

    private int[] offsets = new int[4];
    private int count;
    private long[] bits = {};

    /** Adds the mark at {@code offset} of the block, and says whether they take another amount of memory now. */
    boolean add(int offset) {
        if (bits.length > 0) {
            set(offset);
            return false;
        }
        boolean full = count == offsets.length;
        if (full && count == LONGEST) {
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

    /** How much memory they take, about. */
    long bytes() {
        return BYTES_OF_AN_EMPTY_ONE + (long) offsets.length * Integer.BYTES + (long) bits.length * Long.BYTES;
    }

    /** Whether there are at most {@code most}, without those that were added twice. */
    boolean areAtMost(int most) {
        return bits.length == 0 && (count <= most || distinct().length <= most);
    }

    /** The ids of those of block {@code number}, of which there are few. */
    long[] ids(long number) {
        return Arrays.stream(distinct())
                .mapToLong(offset -> (number << Blocks.SHIFT) + offset)
                .toArray();
    }

    /** All of them as bits, as which they are kept from then on. */
    long[] bits() {
        if (bits.length == 0) {
            bits = new long[Blocks.WORDS];
            for (int i = 0; i < count; i++) {
                set(offsets[i]);
            }
            offsets = new int[0];
        }
        return bits;
    }

    private int[] distinct() {
        return Arrays.stream(offsets, 0, count).sorted().distinct().toArray();
    }

    private void set(int offset) {
        bits[offset >>> 6] |= Long.MIN_VALUE >>> (offset & 63);
    }
}
