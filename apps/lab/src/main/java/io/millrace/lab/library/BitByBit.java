// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.library;

import io.millrace.lab.run.Outcomes;
import java.util.List;

/** A library that sets bits with a command for each, pipelined, over one connection. Used by one thread. */
public interface BitByBit extends AutoCloseable {

    /** Commands that go together where the library has the caller say so. */
    int BATCH = 10_000;

    /**
     * {@code SETBIT key offset bit} for each offset from 0 on; returns when all have been answered, and says what
     * became of them. Throws if one was answered with an error that the library keeps no account of.
     *
     * @param bits the first is the most significant of the first byte
     * @param count how many there are
     */
    Outcomes set(String key, byte[] bits, long count) throws Exception;

    /** {@code BITCOUNT key}. */
    long count(String key) throws Exception;

    /** Closes the connection and ends every thread of the library. */
    @Override
    void close() throws Exception;

    /** Whether the bit at {@code offset} of {@code bits} is set. */
    static boolean isSet(byte[] bits, long offset) {
        return (bits[(int) (offset >>> 3)] & (0x80 >>> (offset & 7))) != 0;
    }

    /**
     * A library that can be asked to set bits.
     *
     * @param name as in reports
     * @param note what a reader of the figures has to know
     */
    record Source(String name, String note, Opener opener) {

        /** Those there are. */
        public static List<Source> all() {
            return List.of(JedisBits.SOURCE, LettuceBits.SOURCE, MillraceBits.SOURCE);
        }
    }

    /** Opens connections. */
    @FunctionalInterface
    interface Opener {
        BitByBit open(Endpoint endpoint) throws Exception;
    }
}
