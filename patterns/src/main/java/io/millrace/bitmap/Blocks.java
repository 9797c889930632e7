// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

/**
 * The portion in which bits are made, sent, fetched and compared: 1,048,576 bits, 128 KiB. Large enough that a command for each hardly
 * counts, and that the server takes it without copying it; small enough that those of a month fit into a processor's cache.
 */
final class Blocks {

    static final int SHIFT = 20;
    static final long BITS = 1L << SHIFT;
    static final int BYTES = 1 << (SHIFT - 3);
    static final int WORDS = 1 << (SHIFT - 6);

    private Blocks() {}

    /** How many blocks so many bytes are. */
    static long covering(long bytes) {
        return (bytes + BYTES - 1) / BYTES;
    }
}
