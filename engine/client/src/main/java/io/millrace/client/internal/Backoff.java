// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import java.time.Duration;
import java.util.random.RandomGenerator;

/** How long to wait before the next attempt: twice as long each time, and half of it left to chance. One thread's. */
final class Backoff {

    private final long leastNanos;
    private final long mostNanos;
    private final RandomGenerator random;
    private long nextNanos;

    Backoff(Duration least, Duration most, RandomGenerator random) {
        this.leastNanos = least.toNanos();
        this.mostNanos = most.toNanos();
        this.random = random;
        this.nextNanos = leastNanos;
    }

    /** The wait before the next attempt, so that many clients do not come back in the same instant. */
    long nextNanos() {
        long whole = nextNanos;
        nextNanos = Math.min(mostNanos, whole * 2);
        return whole / 2 + random.nextLong(whole / 2 + 1);
    }

    /** There is hope again: begin anew. */
    void reset() {
        nextNanos = leastNanos;
    }
}
