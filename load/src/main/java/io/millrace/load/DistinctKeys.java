// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

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

    /** Hash codes; 0 is a free slot. The length is a power of two. */
    private long[] table = new long[1_024];

    private int distinct;
    private byte @Nullable [] registers;
    private long rows;

    /** Counts a row whose place is in the first {@code length} bytes of {@code place}. */
    void add(byte[] place, int length) {
        rows++;
        long hash = hash(place, length);
        if (registers == null) {
            addExactly(hash == 0 ? 1 : hash);
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
        int i = 0;
        for (; i + 8 <= length; i += 8) {
            hash = mix(hash ^ word(bytes, i, 8));
        }
        return mix(hash ^ word(bytes, i, length - i));
    }

    private static long word(byte[] bytes, int from, int count) {
        long word = 0;
        for (int i = 0; i < count; i++) {
            word |= (bytes[from + i] & 0xFFL) << (8 * i);
        }
        return word;
    }

    private static long mix(long value) {
        long mixed = (value ^ (value >>> 32)) * 0xD6E8FEB86659FD93L;
        mixed = (mixed ^ (mixed >>> 32)) * 0xD6E8FEB86659FD93L;
        return mixed ^ (mixed >>> 32);
    }
}
