// SPDX-License-Identifier: Apache-2.0
package io.millrace.packed;

/**
 * The memory of bucketed pairs on the server, measured with {@code MEMORY USAGE}. The result includes the buckets and
 * their names, but not the main key table of Redis and not the overhead of the allocator.
 *
 * @param buckets number of buckets
 * @param measured number of measured buckets: all buckets, or the buckets of a random sample
 * @param compact number of measured buckets in the compact encoding. If this number is lower than {@code measured},
 *     some measured buckets have too many fields or too long values for this encoding, by the limits of the server
 * @param pairs number of pairs in the measured buckets
 * @param bytes bytes of the measured buckets
 */
public record BucketMemory(long buckets, long measured, long compact, long pairs, long bytes) {

    public BucketMemory {
        if (compact < 0 || compact > measured || measured > buckets || pairs < measured || bytes < 0) {
            throw new IllegalArgumentException("inconsistent memory counts: buckets=" + buckets + ", measured="
                    + measured + ", compact=" + compact + ", pairs=" + pairs + ", bytes=" + bytes + ".");
        }
    }

    /** Whether all buckets were measured, so that the totals are exact. */
    public boolean isExact() {
        return measured == buckets;
    }

    /** Returns the bytes of all buckets; an estimate unless {@link #isExact}. */
    public long totalBytes() {
        return scaled(bytes);
    }

    /** Returns the number of pairs in all buckets; an estimate unless {@link #isExact}. */
    public long totalPairs() {
        return scaled(pairs);
    }

    /** Returns the average number of bytes of a pair; 0 if there are no pairs. */
    public double bytesPerPair() {
        return pairs == 0 ? 0 : (double) bytes / pairs;
    }

    private long scaled(long sum) {
        return measured == buckets ? sum : Math.round((double) sum / measured * buckets);
    }
}
