// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Collects delays. A delay is the time from the due time of an event to the event. Thread-safe. */
final class DelaySamples {

    private final ConcurrentLinkedQueue<Long> nanos = new ConcurrentLinkedQueue<>();

    void add(long late) {
        nanos.add(late);
    }

    int count() {
        return nanos.size();
    }

    Duration least() {
        return percentile(0);
    }

    /**
     * Returns a percentile of the delays, or zero if there are no delays.
     *
     * @param percent 0 to 100
     */
    Duration percentile(int percent) {
        long[] sorted = nanos.stream().mapToLong(Long::longValue).toArray();
        if (sorted.length == 0) {
            return Duration.ZERO;
        }
        Arrays.sort(sorted);
        return Duration.ofNanos(sorted[(int) ((sorted.length - 1) * (long) percent / 100)]);
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "count=%d, min=%.2f ms, p50=%.2f ms, p99=%.2f ms, max=%.2f ms",
                count(),
                least().toNanos() / 1e6,
                percentile(50).toNanos() / 1e6,
                percentile(99).toNanos() / 1e6,
                percentile(100).toNanos() / 1e6);
    }
}
