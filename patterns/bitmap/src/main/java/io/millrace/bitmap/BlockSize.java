// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

/**
 * The size of the blocks of an activity. A block is the unit in which the client sends, fetches and compares bits.
 *
 * <p>DESIGN. A chunk is a block that is also a key. One mark in an empty chunk stores all bytes of the chunk before the
 * mark, so a chunk must be small: a lone mark takes at most 16 KiB, and 8 KiB on average. A chunk must not be much
 * smaller, because each chunk needs a key, and a command in each query: the chunks of ten million dense ids are 77 keys,
 * whose names and objects take 1 % of the memory.
 */
enum BlockSize {

    /** A part of a bitmap that has all ids in one key: {@link Blocks}. */
    BITMAP(Blocks.SHIFT),

    /** A chunk: 131,072 bits, or 16 KiB. */
    CHUNK(17);

    private final int shift;

    BlockSize(int shift) {
        this.shift = shift;
    }

    /** Returns the number of the bits of an id within its block. The other bits are the number of the block. */
    int shift() {
        return shift;
    }

    /** Returns the number of ids per block. */
    long bits() {
        return 1L << shift;
    }

    int bytes() {
        return 1 << (shift - 3);
    }

    int words() {
        return 1 << (shift - 6);
    }

    /** Returns the number of the block that contains {@code id}. */
    long block(long id) {
        return id >>> shift;
    }

    /** Returns the offset of {@code id} in its block, in bits. */
    int offset(long id) {
        return (int) (id & (bits() - 1));
    }
}
