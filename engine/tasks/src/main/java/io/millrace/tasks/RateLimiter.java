// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Limits the rate of attempts. The limiter gives each attempt a start time, and these times are evenly spaced. If no
 * caller used a start time, a caller may use it up to ten milliseconds later. After that, this attempt is lost. The ten
 * milliseconds are needed because a sleeping thread may wake up too late.
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
     * Reserves start times for {@code attempts} attempts.
     *
     * @param sinceStartNanos the current time, in nanoseconds since the start of the flow
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
