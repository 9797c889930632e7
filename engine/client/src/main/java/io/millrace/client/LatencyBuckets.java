// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

/**
 * The buckets of a latency histogram. Each power of two is divided into 32 buckets of equal width. So a bucket is at
 * most 1/32 as wide as its smallest value, and its middle differs from each of its values by at most 1/64, or 1.6 %.
 * Below 64 ns, each bucket has one value.
 */
final class LatencyBuckets {

    private static final int BITS = 5;

    /** Longer latencies are counted as this latency: 2^47 ns, or 39 hours. Commands have shorter time limits. */
    private static final long MAX_NANOS = (1L << 47) - 1;

    /** Number of buckets. */
    static final int COUNT = of(MAX_NANOS) + 1;

    private LatencyBuckets() {}

    /** Returns {@code nanos}, or the nearest latency that can be counted. */
    static long inRange(long nanos) {
        return Math.max(0, Math.min(nanos, MAX_NANOS));
    }

    /** Returns the bucket of a latency {@linkplain #inRange in range}. */
    static int of(long nanos) {
        int shift = Math.max(0, 63 - Long.numberOfLeadingZeros(nanos | 1) - BITS);
        return (shift << BITS) + (int) (nanos >>> shift);
    }

    /** Returns the middle of {@code bucket}, in nanoseconds. */
    static long middleNanos(int bucket) {
        int shift = Math.max(0, (bucket >>> BITS) - 1);
        long smallest = (long) (bucket - (shift << BITS)) << shift;
        return smallest + (1L << shift) / 2;
    }
}
