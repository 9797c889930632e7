// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

/**
 * The size of a block, the unit in which bits are made, sent, fetched and compared: 1,048,576 bits, or 128 KiB. A block
 * is so large that the fixed cost of its command is negligible. The server stores a block of this size without copying
 * it. The blocks of 30 days fit into the cache of a processor.
 */
final class Blocks {

    static final int SHIFT = 20;
    static final int BYTES = 1 << (SHIFT - 3);
    static final int WORDS = 1 << (SHIFT - 6);

    private Blocks() {}

    /** Returns the number of blocks for {@code bytes} bytes, rounded up. */
    static long count(long bytes) {
        return (bytes + BYTES - 1) / BYTES;
    }
}
