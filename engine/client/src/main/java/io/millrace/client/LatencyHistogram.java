// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.client.internal.range.Ranges;
import java.time.Duration;

/**
 * A histogram of latencies. Its percentiles and its maximum differ from the measured latencies by at most 1.6 %; the
 * mean and the count are exact. Latencies above 39 hours count as 39 hours. Immutable.
 */
public final class LatencyHistogram {

    private final long[] buckets;
    private final long count;
    private final long totalNanos;

    LatencyHistogram(long[] buckets, long totalNanos) {
        this.buckets = buckets;
        this.totalNanos = totalNanos;
        long sum = 0;
        for (long bucket : buckets) {
            sum += bucket;
        }
        this.count = sum;
    }

    /** Number of latencies. */
    public long count() {
        return count;
    }

    /** Sum of all latencies. */
    public Duration total() {
        return Duration.ofNanos(totalNanos);
    }

    /** Arithmetic mean; zero if the histogram is empty. */
    public Duration mean() {
        return count == 0 ? Duration.ZERO : Duration.ofNanos(totalNanos / count);
    }

    /** Longest latency; zero if the histogram is empty. */
    public Duration max() {
        return percentile(100);
    }

    /**
     * Returns the smallest latency that is not shorter than {@code percent} percent of all latencies; zero if the
     * histogram is empty.
     *
     * @param percent 0 to 100, such as 99.9
     */
    public Duration percentile(double percent) {
        Ranges.check("percent", percent, 0.0, 100.0);
        long rank = Math.max(1, (long) Math.ceil(percent / 100 * count));
        long seen = 0;
        for (int i = 0; i < buckets.length; i++) {
            seen += buckets[i];
            if (seen >= rank) {
                return Duration.ofNanos(LatencyBuckets.middleNanos(i));
            }
        }
        return Duration.ZERO;
    }

    /** Returns the latencies that were recorded after {@code earlier}, an earlier snapshot of the same histogram. */
    LatencyHistogram since(LatencyHistogram earlier) {
        long[] difference = new long[buckets.length];
        for (int i = 0; i < difference.length; i++) {
            difference[i] = buckets[i] - earlier.buckets[i];
        }
        return new LatencyHistogram(difference, totalNanos - earlier.totalNanos);
    }

    @Override
    public String toString() {
        return "count=" + count + ", mean=" + mean() + ", p50=" + percentile(50) + ", p99=" + percentile(99) + ", max="
                + max();
    }
}
