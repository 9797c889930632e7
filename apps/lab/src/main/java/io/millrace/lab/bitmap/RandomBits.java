// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bitmap;

import io.millrace.bitmap.BitSource;
import io.millrace.lab.server.Keyspace;

/**
 * Random bits, the same in each round. Each bit is set with probability {@value #PROBABILITY}.
 *
 * @param source of the bits
 * @param count number of bits
 */
record RandomBits(BitSource source, long count) {

    static final double PROBABILITY = 0.3;

    /** The name of the population that has the bits. */
    static final String NAME = Keyspace.PREFIX + "{bits}";

    /** The only key of the population. All contenders use this key. */
    static final String KEY = NAME + ":bits";

    static RandomBits of(long seed, long count) {
        return new RandomBits(BitSource.random(PROBABILITY, seed), count);
    }

    /** The bits as Redis stores them: the first bit is the most significant bit of the first byte. */
    byte[] packed() {
        var packed = new byte[Math.toIntExact((count + 7) / 8)];
        long word = 0;
        for (long offset = 0; offset < count; offset++) {
            word = offset % Long.SIZE == 0 ? source.word(offset / Long.SIZE) : word << 1;
            if (word < 0) {
                packed[(int) (offset >>> 3)] |= (byte) (0x80 >>> (offset & 7));
            }
        }
        return packed;
    }

    static boolean isSet(byte[] packed, long offset) {
        return (packed[(int) (offset >>> 3)] & (0x80 >>> (offset & 7))) != 0;
    }

    static long ones(byte[] packed) {
        long ones = 0;
        for (byte eight : packed) {
            ones += Integer.bitCount(eight & 0xff);
        }
        return ones;
    }
}
