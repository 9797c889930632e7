// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bitmap;

import io.millrace.bitmap.BitSource;
import io.millrace.lab.server.Keyspace;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.BitSet;

/** The first {@code count} random bits of {@code source}, the same in each round. */
public record RandomBits(BitSource source, long count) {

    /** Each bit is set with this probability: a random number below 1,000 is less than 10. */
    public static final double PROBABILITY = 10 / 1_000.0;

    /** The name of the population that has the bits. */
    public static final String NAME = Keyspace.PREFIX + "{bits}";

    /** The only key of the population. All contenders use this key. */
    public static final String KEY = NAME + ":bits";

    public static RandomBits of(long seed, long count) {
        return new RandomBits(BitSource.random(PROBABILITY, seed), count);
    }

    public Packed packed() {
        int words = Math.toIntExact((count + Long.SIZE - 1) / Long.SIZE);
        var buffer = ByteBuffer.allocate(words * Long.BYTES);
        for (int word = 0; word < words; word++) {
            buffer.putLong(source.word(word)); // the first bit of a word is the most significant one, as in Redis
        }
        var bytes = Arrays.copyOf(buffer.array(), Math.toIntExact((count + 7) / 8));
        long unused = 8L * bytes.length - count;
        if (unused > 0) {
            bytes[bytes.length - 1] &= (byte) (0xff << unused);
        }
        return new Packed(bytes, count);
    }

    static void set(byte[] bytes, long offset) {
        bytes[(int) (offset >>> 3)] |= (byte) (0x80 >>> (offset & 7));
    }

    /** Bits as Redis stores them: the first bit is the most significant bit of the first byte. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Packed(byte[] bytes, long count) {

        public boolean isSet(long offset) {
            return (bytes[(int) (offset >>> 3)] & (0x80 >>> (offset & 7))) != 0;
        }

        long ones() {
            return BitSet.valueOf(bytes).cardinality();
        }
    }
}
