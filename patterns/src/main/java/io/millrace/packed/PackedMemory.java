// SPDX-License-Identifier: Apache-2.0
package io.millrace.packed;

/**
 * What packed pairs take in a server's memory, by {@code MEMORY USAGE}: about what their hashes and the names of those take, without
 * the table of all keys and what the allocator wastes.
 *
 * @param hashes how many there are
 * @param measured how many of them were looked at; all, or drawn by chance
 * @param compact how many of those that were looked at the server keeps in compact form; fewer than all means that hashes or values are
 *     above its limits
 * @param pairs in the hashes that were looked at
 * @param bytes of the hashes that were looked at
 */
public record PackedMemory(long hashes, long measured, long compact, long pairs, long bytes) {

    public PackedMemory {
        if (compact < 0 || compact > measured || measured > hashes || pairs < measured || bytes < 0) {
            throw new IllegalArgumentException("memory does not add up: hashes=" + hashes + ", measured=" + measured
                    + ", compact=" + compact + ", pairs=" + pairs + ", bytes=" + bytes + ".");
        }
    }

    /** Whether all hashes were looked at, so that nothing is estimated. */
    public boolean exact() {
        return measured == hashes;
    }

    /** Bytes of all hashes; an estimate unless {@link #exact}. */
    public long totalBytes() {
        return scaled(bytes);
    }

    /** Pairs in all hashes; an estimate unless {@link #exact}. */
    public long totalPairs() {
        return scaled(pairs);
    }

    /** Bytes of one pair; 0 without pairs. */
    public double bytesPerPair() {
        return pairs == 0 ? 0 : (double) bytes / pairs;
    }

    private long scaled(long sum) {
        return measured == hashes ? sum : Math.round((double) sum / measured * hashes);
    }
}
