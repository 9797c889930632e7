// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.Setting;

/**
 * Random bits, 64 at a time.
 *
 * <p>DESIGN. Each bit has a random fraction with 64 binary digits. The bit is set if the fraction is less than the
 * probability. The generator draws the digits of 64 fractions together: the first random word contains the first digit
 * of all 64 fractions, the second random word contains the second digit, and so on. A fraction is decided as soon as
 * one of its digits differs from the same digit of the probability. On average, each random word decides half of the
 * undecided fractions, so 64 bits take about eight random words. A probability of 0.5 has only one digit, so it takes
 * one random word.
 *
 * <p>The generator is SplitMix64. Word {@code i} of the result uses the states of the generator from {@code 64 * i} on.
 * So any word can be computed without the words before it.
 *
 * @param digits the binary digits of the probability after the point, the first one most significant
 * @param always whether the probability is 1, which has no digits after the point
 */
record RandomBits(long digits, boolean always, long seed) implements BitSource {

    /** The difference of two consecutive states: 2^64 divided by the golden ratio. */
    private static final long STEP = 0x9e3779b97f4a7c15L;

    static RandomBits of(double probability, long seed) {
        Setting.checkArgument("probability", probability, 0.0, 1.0);
        // The digits are computed in two halves, because a long is signed. Scaling by powers of two is exact.
        double high = Math.floor(probability * 0x1p32);
        double low = Math.floor((probability * 0x1p32 - high) * 0x1p32);
        return new RandomBits((long) high << 32 | (long) low, probability == 1, seed);
    }

    @Override
    public long word(long index) {
        if (always) {
            return -1;
        }
        long state = seed + (index << 6) * STEP;
        long less = 0;
        long undecided = -1;
        for (long rest = digits; rest != 0 && undecided != 0; rest <<= 1) {
            state += STEP;
            long drawn = mixed(state);
            if (rest < 0) {
                less |= undecided & ~drawn;
                undecided &= drawn;
            } else {
                undecided &= ~drawn;
            }
        }
        return less;
    }

    private static long mixed(long state) {
        long z = (state ^ (state >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }
}
