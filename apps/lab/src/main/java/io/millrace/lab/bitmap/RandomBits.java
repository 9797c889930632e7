// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bitmap;

import io.millrace.bitmap.BitSource;
import io.millrace.lab.server.Keyspace;
import java.util.BitSet;

/** The first {@code count} random bits of {@code source}, the same in each round. */
record RandomBits(BitSource source, long count) {

    /** Each bit is set with this probability. */
    static final double PROBABILITY = 0.3;

    /** The name of the population that has the bits. */
    static final String NAME = Keyspace.PREFIX + "{bits}";

    /** The only key of the population. All contenders use this key. */
    static final String KEY = NAME + ":bits";

    static RandomBits of(long seed, long count) {
        return new RandomBits(BitSource.random(PROBABILITY, seed), count);
    }

    Packed packed() {
        var bytes = new byte[Math.toIntExact((count + 7) / 8)];
        long word = 0;
        for (long offset = 0; offset < count; offset++) {
            word = offset % Long.SIZE == 0 ? source.word(offset / Long.SIZE) : word << 1;
            if (word < 0) {
                set(bytes, offset);
            }
        }
        return new Packed(bytes, count);
    }

    static void set(byte[] bytes, long offset) {
        bytes[(int) (offset >>> 3)] |= (byte) (0x80 >>> (offset & 7));
    }

    /** Bits as Redis stores them: the first bit is the most significant bit of the first byte. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Packed(byte[] bytes, long count) {

        boolean isSet(long offset) {
            return (bytes[(int) (offset >>> 3)] & (0x80 >>> (offset & 7))) != 0;
        }

        long ones() {
            return BitSet.valueOf(bytes).cardinality();
        }
    }
}
