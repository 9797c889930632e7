// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Spaces attempts out evenly. Who is late may catch up with what was left unused in the last ten milliseconds, no more: threads
 * cannot sleep more exactly than that allows for.
 */
final class Pace {

    private static final long SLACK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final double intervalNanos;

    /** When the next attempt may begin, in nanoseconds since the start. */
    private final AtomicLong next = new AtomicLong();

    /** So many attempts a second. */
    Pace(double perSecond) {
        this.intervalNanos = 1e9 / perSecond;
    }

    /**
     * Takes the right to so many attempts.
     *
     * @param sinceStartNanos the time now
     * @return how long to wait before they may begin; 0 or less if they may at once
     */
    long reserve(int attempts, long sinceStartNanos) {
        long cost = cost(attempts);
        long earliest = sinceStartNanos - SLACK_NANOS;
        long before = next.getAndUpdate(then -> Math.max(then, earliest) + cost);
        return Math.max(before, earliest) - sinceStartNanos;
    }

    /** Gives back the right to so many attempts that will not begin: others need not wait for them. */
    void giveBack(int attempts) {
        next.addAndGet(-cost(attempts));
    }

    private long cost(int attempts) {
        return Math.round(intervalNanos * attempts);
    }
}
