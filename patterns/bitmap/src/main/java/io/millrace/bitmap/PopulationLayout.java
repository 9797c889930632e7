// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import java.nio.charset.StandardCharsets;

/**
 * The keys and blocks of a population.
 *
 * <pre>
 *   {name}:population   a hash: bits, ones. The population exists if and only if this key exists
 *   {name}:bits         the bits, one string
 * </pre>
 */
record PopulationLayout(String name, long bits) {

    static String head(String name) {
        return KeyNames.prefix(name) + "population";
    }

    static String key(String name) {
        return KeyNames.prefix(name) + "bits";
    }

    String head() {
        return head(name);
    }

    String key() {
        return key(name);
    }

    byte[] keyInBytes() {
        return key().getBytes(StandardCharsets.UTF_8);
    }

    long bytes() {
        return (bits + 7) >>> 3;
    }

    long blocks() {
        return Blocks.count(bytes());
    }

    /**
     * Returns word {@code index} of {@code source}. In the last word, the bits after the end of the population are 0.
     * The source does not compute these bits.
     */
    long word(BitSource source, long index) {
        long left = bits - (index << 6);
        return left >= Long.SIZE ? source.word(index) : source.word(index, (int) left);
    }

    /** Returns the length of the block in bytes. Only the last block can be shorter than {@link Blocks#BYTES}. */
    int bytesOf(long block) {
        return (int) Math.min(Blocks.BYTES, bytes() - offsetOf(block));
    }

    /** Returns the offset of the block in bytes. */
    long offsetOf(long block) {
        return block * Blocks.BYTES;
    }

    /**
     * Returns the number of the block that is sent at position {@code number}, from 0. The last block is sent first, so
     * that the server allocates the string only one time, with its final length.
     */
    long blockToSend(long number) {
        return number == 0 ? blocks() - 1 : number - 1;
    }
}
