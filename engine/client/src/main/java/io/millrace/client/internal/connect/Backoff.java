// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.connect;

import java.time.Duration;
import java.util.random.RandomGenerator;

/** Exponential backoff: the delay doubles each time, and up to half of it is random. Not thread-safe. */
public final class Backoff {

    private final long minNanos;
    private final long maxNanos;
    private final RandomGenerator random;
    private long nextNanos;

    public Backoff(Duration min, Duration max, RandomGenerator random) {
        this.minNanos = min.toNanos();
        this.maxNanos = max.toNanos();
        this.random = random;
        this.nextNanos = minNanos;
    }

    /** Returns the delay before the next attempt. Its random part spreads the attempts of many clients. */
    public long nextNanos() {
        long delay = nextNanos;
        nextNanos = Math.min(maxNanos, delay * 2);
        return delay / 2 + random.nextLong(delay / 2 + 1);
    }

    /** Continues with the longest delay. */
    public void growToLongest() {
        nextNanos = maxNanos;
    }

    /** Starts again with the shortest delay. */
    public void reset() {
        nextNanos = minNanos;
    }
}
