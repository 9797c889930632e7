// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.ConcurrentLinkedQueue;

/** By how much things came later than they were due. Any thread adds. */
final class Lateness {

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

    /** So many of a hundred were no later. */
    Duration percentile(int of) {
        long[] sorted = nanos.stream().mapToLong(Long::longValue).toArray();
        if (sorted.length == 0) {
            return Duration.ZERO;
        }
        Arrays.sort(sorted);
        return Duration.ofNanos(sorted[(int) ((sorted.length - 1) * (long) of / 100)]);
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%d, late by least %.2f, half %.2f, 99 %% %.2f, most %.2f ms",
                count(),
                least().toNanos() / 1e6,
                percentile(50).toNanos() / 1e6,
                percentile(99).toNanos() / 1e6,
                percentile(100).toNanos() / 1e6);
    }
}
