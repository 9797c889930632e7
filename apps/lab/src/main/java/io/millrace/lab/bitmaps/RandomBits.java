// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bitmaps;

import io.millrace.bitmap.BitSource;
import io.millrace.lab.run.Keyspace;

/**
 * Bits at random, the same ones each time.
 *
 * @param count how many
 */
record RandomBits(long count) {

    /** Of a bit's being set. */
    static final double PROBABILITY = 0.3;

    static final BitSource SOURCE = BitSource.random(PROBABILITY, 6);

    /** The population that has them. */
    static final String NAME = Keyspace.PREFIX + "{bits}";

    /** Its only key, where others put theirs too. */
    static final String KEY = NAME + ":bits";

    /** As Redis keeps them: the first is the most significant of the first byte. Put together bit by bit, as no contender does it. */
    byte[] packed() {
        var packed = new byte[Math.toIntExact((count + 7) / 8)];
        long word = 0;
        for (long offset = 0; offset < count; offset++) {
            word = offset % Long.SIZE == 0 ? SOURCE.word(offset / Long.SIZE) : word << 1;
            if (word < 0) {
                packed[(int) (offset >>> 3)] |= (byte) (0x80 >>> (offset & 7));
            }
        }
        return packed;
    }

    /** How many of {@code packed} are set. */
    static long ones(byte[] packed) {
        long ones = 0;
        for (byte eight : packed) {
            ones += Integer.bitCount(eight & 0xff);
        }
        return ones;
    }
}
