// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

/**
 * Random bits, 64 at a time.
 *
 * <p>DESIGN. A bit is set if a random number of 64 binary digits is less than the probability. The digits of 64 such numbers are drawn
 * together, one word for the first digit of all, one for the second, and a number is decided by the first digit in which it differs
 * from the probability. Half of those undecided are decided by each word, so it takes some eight draws for 64 bits, and one for a
 * probability of a half, which has only one digit.
 *
 * <p>Draws are those of SplitMix64 in the order of its states, of which word {@code i} owns 64: so any word can be had at once.
 *
 * @param digits of the probability after the point, the first one most significant
 * @param always whether the probability is 1, which has no such digits
 */
record Chance(long digits, boolean always, long seed) implements BitSource {

    /** The distance of two states, 2^64 divided by the golden ratio. */
    private static final long STEP = 0x9e3779b97f4a7c15L;

    static Chance of(double probability, long seed) {
        Ranges.check("probability", probability, 0, 1);
        // Two halves, since a long has a sign; scaling by powers of two is exact.
        double high = Math.floor(probability * 0x1p32);
        double low = Math.floor((probability * 0x1p32 - high) * 0x1p32);
        return new Chance((long) high << 32 | (long) low, probability == 1, seed);
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
