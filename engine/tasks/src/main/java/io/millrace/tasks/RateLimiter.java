// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Spaces attempts evenly. A late caller may also use attempts that were left unused in the last ten milliseconds, but
 * no older attempts. Ten milliseconds allow for the imprecision of sleeping threads.
 */
final class RateLimiter {

    private static final long SLACK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final double intervalNanos;

    /** Time of the next attempt, in nanoseconds since the start of the flow. */
    private final AtomicLong next = new AtomicLong();

    /** Creates a limiter for {@code perSecond} attempts per second. */
    RateLimiter(double perSecond) {
        this.intervalNanos = 1e9 / perSecond;
    }

    /**
     * Reserves attempts.
     *
     * @param sinceStartNanos the current time
     * @return nanoseconds to wait before the attempts; 0 or less if they may start now
     */
    long reserve(int attempts, long sinceStartNanos) {
        long cost = cost(attempts);
        long earliest = sinceStartNanos - SLACK_NANOS;
        long before = next.getAndUpdate(previous -> Math.max(previous, earliest) + cost);
        return Math.max(before, earliest) - sinceStartNanos;
    }

    /** Cancels the reservation of attempts that will not start. */
    void giveBack(int attempts) {
        next.addAndGet(-cost(attempts));
    }

    private long cost(int attempts) {
        return Math.round(intervalNanos * attempts);
    }
}
