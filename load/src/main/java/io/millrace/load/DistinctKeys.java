// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Counts the different places of the rows that were sent. A place is a key, or a key and a hash field. Rows of the same
 * place overwrite each other.
 *
 * <p>DESIGN. Up to {@value #EXACT} places, the count is exact: a hash table contains the 64-bit hash codes of the
 * places. Above this number, the count is an estimate with an error of about 1 %: a HyperLogLog of 16,384 registers
 * (Flajolet and others, 2007). So the memory is at most 2 MB.
 *
 * <p>Confined to the loading thread.
 */
final class DistinctKeys {

    static final int EXACT = 131_072;

    private static final int INDEX_BITS = 14;
    private static final int REGISTERS = 1 << INDEX_BITS;
    private static final double CORRECTION = 0.7213 / (1 + 1.079 / REGISTERS);

    /** Smallest ratio of rows and estimated places for which the estimate proves that places repeat. */
    private static final double PROVES_REPETITION = 1.05;

    /** Reads eight bytes of an array as a number. */
    private static final VarHandle WORD = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /** Hash codes; 0 is a free slot. The length is a power of two. */
    private long[] table = new long[1_024];

    private int distinct;
    private byte @Nullable [] registers;
    private long rows;

    /** Hash code of the place of the last row. Rows of one place often follow each other. 0 before the first row. */
    private long last;

    /** Counts a row whose place is in the first {@code length} bytes of {@code place}. */
    void add(byte[] place, int length) {
        rows++;
        long hash = hash(place, length);
        hash = hash == 0 ? 1 : hash;
        if (hash == last) {
            return;
        }
        last = hash;
        if (registers == null) {
            addExactly(hash);
        } else {
            register(registers, hash);
        }
    }

    private void addExactly(long hash) {
        if (!insert(table, hash) || ++distinct * 2 < table.length) {
            return;
        }
        if (distinct >= EXACT) {
            byte[] estimate = new byte[REGISTERS];
            for (long known : table) {
                if (known != 0) {
                    register(estimate, known);
                }
            }
            registers = estimate;
            table = new long[0];
            return;
        }
        long[] larger = new long[table.length * 2];
        for (long known : table) {
            if (known != 0) {
                var unused = insert(larger, known);
            }
        }
        table = larger;
    }

    /** Returns false if {@code into} already contains {@code hash}. */
    private static boolean insert(long[] into, long hash) {
        int slot = (int) hash & (into.length - 1);
        while (into[slot] != 0) {
            if (into[slot] == hash) {
                return false;
            }
            slot = (slot + 1) & (into.length - 1);
        }
        into[slot] = hash;
        return true;
    }

    private static void register(byte[] estimate, long hash) {
        int index = (int) (hash >>> (Long.SIZE - INDEX_BITS));
        int rank = Long.numberOfLeadingZeros((hash << INDEX_BITS) | (1L << (INDEX_BITS - 1))) + 1;
        estimate[index] = (byte) Math.max(estimate[index], rank);
    }

    /** The numbers of rows and places; empty if no place repeats, or if the estimate does not prove a repetition. */
    Optional<LoadReport.RowsPerKey> repetition() {
        byte[] estimate = registers;
        if (estimate == null) {
            return rows > distinct ? Optional.of(new LoadReport.RowsPerKey(rows, distinct, true)) : Optional.empty();
        }
        double sum = 0;
        for (byte rank : estimate) {
            sum += Math.pow(2, -rank);
        }
        long places = Math.min(rows, Math.round(CORRECTION * REGISTERS * REGISTERS / sum));
        return rows > places * PROVES_REPETITION
                ? Optional.of(new LoadReport.RowsPerKey(rows, places, false))
                : Optional.empty();
    }

    /** A 64-bit hash code of the first {@code length} bytes. Reads eight bytes at a time, because it runs for each row. */
    static long hash(byte[] bytes, int length) {
        long hash = length * 0x9E3779B97F4A7C15L;
        if (length < Long.BYTES) {
            return mix(hash ^ shortWord(bytes, length));
        }
        int last = length - Long.BYTES;
        for (int i = 0; i < last; i += Long.BYTES) {
            hash = mix(hash ^ (long) WORD.get(bytes, i));
        }
        // The last eight bytes, of which some may have been read before.
        return mix(hash ^ (long) WORD.get(bytes, last));
    }

    private static long shortWord(byte[] bytes, int count) {
        long word = 0;
        for (int i = 0; i < count; i++) {
            word |= (bytes[i] & 0xFFL) << (Byte.SIZE * i);
        }
        return word;
    }

    private static long mix(long value) {
        long mixed = (value ^ (value >>> 32)) * 0xD6E8FEB86659FD93L;
        mixed = (mixed ^ (mixed >>> 32)) * 0xD6E8FEB86659FD93L;
        return mixed ^ (mixed >>> 32);
    }
}
