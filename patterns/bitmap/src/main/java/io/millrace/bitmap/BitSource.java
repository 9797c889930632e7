// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import java.util.function.LongPredicate;

/**
 * The bits of a population, 64 at a time. Several threads call the methods concurrently and in any order. A call must
 * always return the same result for the same index.
 */
@FunctionalInterface
public interface BitSource {

    /**
     * Returns the 64 bits from offset {@code 64 * index}. The first bit is the most significant, as in the bit order of
     * Redis.
     *
     * @param index 0 or more
     */
    long word(long index);

    /**
     * Returns the first {@code count} bits of a word. The other bits are 0. Called for the last word of a population if
     * this word has fewer than 64 bits.
     *
     * @param count 1 to 64
     */
    default long word(long index, int count) {
        return word(index) & Words.prefixMask(count);
    }

    /**
     * Returns a source whose bit at {@code offset} is the result of {@code test}. Does not call {@code test} for an
     * offset after the last bit of the population.
     */
    static BitSource of(LongPredicate test) {
        return new PredicateBits(test);
    }

    /**
     * Returns a source of independent random bits. Each bit is set with {@code probability}. The same seed gives the
     * same bits, with any number of threads.
     *
     * @param probability 0 to 1
     */
    static BitSource random(double probability, long seed) {
        return RandomBits.of(probability, seed);
    }
}
