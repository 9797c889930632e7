// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random bits and bits from a predicate. */
class BitSourceTest {

    private static final long WORDS = 40_000;

    @ParameterizedTest
    @ValueSource(doubles = {0, 1e-4, 0.1, 0.25, 1.0 / 3, 0.5, 0.75, 0.9, 0.9999, 1})
    void numberOfSetBitsMatchesTheProbability(double probability) {
        BitSource source = BitSource.random(probability, 20_261_122);
        double expected = probability * WORDS * 64;
        double deviation = Math.sqrt(WORDS * 64 * probability * (1 - probability));

        long ones = LongStream.range(0, WORDS)
                .map(index -> Long.bitCount(source.word(index)))
                .sum();

        assertThat((double) ones).isCloseTo(expected, within(5 * deviation));
    }

    /**
     * The same seed gives the same bits in each version. With the seed 0, the generator draws the published first numbers
     * of SplitMix64. A bit is set if the digits of its fraction are less than the digits of the probability.
     */
    @Test
    void seedDeterminesTheBits() {
        long first = 0xe220a8397b1dcdafL;
        long second = 0x6e789e6aa1b965f4L;
        long wordBefore = 0x722191a02d60fac0L; // 64 steps of the generator before the seed 0

        assertThat(BitSource.random(0.5, 0).word(0)).isEqualTo(~first);
        assertThat(BitSource.random(0.25, 0).word(0)).isEqualTo(~first & ~second);
        assertThat(BitSource.random(0.75, 0).word(0)).isEqualTo(~(first & second));
        assertThat(BitSource.random(0.5, wordBefore).word(1)).isEqualTo(~first);
    }

    @Test
    void everyBitOfARandomWordIsSetEquallyOften() {
        BitSource source = BitSource.random(0.3, 9);
        int[] ones = new int[64];

        for (long index = 0; index < WORDS; index++) {
            long word = source.word(index);
            for (int bit = 0; bit < 64; bit++) {
                ones[bit] += (int) (word >>> bit & 1);
            }
        }

        double deviation = Math.sqrt(WORDS * 0.3 * 0.7);
        assertThat(Arrays.stream(ones).boxed())
                .allSatisfy(count -> assertThat(count.doubleValue()).isCloseTo(0.3 * WORDS, within(5 * deviation)));
    }

    @Test
    void adjacentRandomWordsAreIndependent() {
        BitSource source = BitSource.random(0.5, 9);

        long same = LongStream.range(0, WORDS)
                .map(index -> Long.bitCount(source.word(index) ^ source.word(index + 1)))
                .sum();

        assertThat((double) same).isCloseTo(WORDS * 32.0, within(5 * Math.sqrt(WORDS * 16.0)));
    }

    @Test
    void firstBitOfAWordIsTheMostSignificant() {
        BitSource source = BitSource.of(offset -> offset == 0 || offset == 64 + 63);

        assertThat(source.word(0)).isEqualTo(Long.MIN_VALUE);
        assertThat(source.word(1)).isEqualTo(1);
        assertThat(source.word(2)).isZero();
    }
}
