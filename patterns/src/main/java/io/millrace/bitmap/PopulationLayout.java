// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Where the bits of a population are.
 *
 * <pre>
 *   {name}:population   a hash: bits, keyBytes, ones. There is a population only while there is this
 *   {name}:bits:0       the first keyBytes bytes
 *   {name}:bits:1       the next
 *   ...                 the last one is shorter
 * </pre>
 *
 * @param keyBytes of every key but the last, a multiple of a block
 */
record PopulationLayout(String name, long bits, long keyBytes) {

    /** The most keys of one population. */
    static final int MOST_KEYS = 1 << 16;

    static String head(String name) {
        return KeyNames.prefix(name) + "population";
    }

    /** The names of the first {@code count} keys with bits of {@code name}. */
    static Stream<String> keys(String name, long count) {
        String prefix = KeyNames.prefix(name) + "bits:";
        return LongStream.range(0, count).mapToObj(number -> prefix + number);
    }

    String key(long number) {
        return KeyNames.prefix(name) + "bits:" + number;
    }

    byte[] keyInBytes(long number) {
        return key(number).getBytes(StandardCharsets.UTF_8);
    }

    List<String> keys() {
        return keys(name, keyCount()).toList();
    }

    long bytes() {
        return (bits + 7) >>> 3;
    }

    long keyCount() {
        return (bytes() + keyBytes - 1) / keyBytes;
    }

    long keyBits() {
        return keyBytes << 3;
    }

    long blocksOfFullKey() {
        return keyBytes / Blocks.BYTES;
    }

    long blocks() {
        return Blocks.covering(bytes());
    }

    /** The word {@code index} of {@code source}, 0 behind the last bit, for which that is not asked. */
    long word(BitSource source, long index) {
        long left = bits - (index << 6);
        return left >= Long.SIZE ? source.word(index) : source.word(index, (int) left);
    }

    /** How many bytes the block has; only the last one has fewer than the others. */
    int bytesOf(long block) {
        return (int) Math.min(Blocks.BYTES, bytes() - block * Blocks.BYTES);
    }

    long keyOf(long block) {
        return block / blocksOfFullKey();
    }

    /** Where in its key a block begins, in bytes. */
    long offsetOf(long block) {
        return block % blocksOfFullKey() * Blocks.BYTES;
    }

    /**
     * The block that is sent as {@code number}: of each key the last one first, so that the server allocates the whole key at once
     * and exactly as long as it is.
     */
    long blockToSend(long number) {
        long first = keyOf(number) * blocksOfFullKey();
        long last = Math.min(first + blocksOfFullKey(), blocks()) - 1;
        return number == first ? last : number - 1;
    }

    boolean isFirstToSend(long number) {
        return number % blocksOfFullKey() == 0;
    }
}
