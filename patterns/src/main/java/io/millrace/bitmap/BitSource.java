// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import java.util.function.LongPredicate;

/**
 * Says of every bit of a population what it is, 64 at a time. Gives the same answer whenever it is asked, is asked in any order,
 * and by several threads at once.
 */
@FunctionalInterface
public interface BitSource {

    /**
     * The 64 bits from {@code 64 * index} on. The first is the most significant of the word, as Redis numbers the bits of a byte.
     *
     * @param index 0 or more
     */
    long word(long index);

    /**
     * The first bits of that word; the others of it are 0. Asked for the last word of a population that ends within it.
     *
     * @param count 1 to 64
     */
    default long word(long index, int count) {
        return word(index) & Words.first(count);
    }

    /** The bit at {@code offset} is what {@code test} says of {@code offset}, which is asked of no offset behind the last bit. */
    static BitSource of(LongPredicate test) {
        return new TestedBits(test);
    }

    /**
     * Each bit is set with {@code probability}, and independent of all others. The same seed gives the same bits, on any number of
     * threads.
     *
     * @param probability 0 to 1
     */
    static BitSource random(double probability, long seed) {
        return Chance.of(probability, seed);
    }
}
