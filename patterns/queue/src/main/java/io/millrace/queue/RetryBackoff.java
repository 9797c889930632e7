// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.Setting;
import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * The delay between a failed attempt and the next attempt. The delay doubles with each failure.
 *
 * @param first the delay after the first failure, zero to 24 h
 * @param longest the longest delay, {@code first} to 30 days
 * @param jitter the random part of each delay, 0 to 1. With 0.5, a delay of 10 s becomes a random delay of 5 s to 10 s.
 *     So jobs that failed at the same time are not repeated at the same time
 */
public record RetryBackoff(Duration first, Duration longest, double jitter) {

    private static final Duration MAX_FIRST = Duration.ofHours(24);
    private static final Duration MAX_LONGEST = Duration.ofDays(30);

    /**
     * The default: 1 s after the first failure, at most 1 h, jitter 0.5. Before the twentieth attempt, the default of {@link
     * WorkerOptions#MAX_ATTEMPTS}, the delays add up to 4 h 4 min at least (14,648 s) and 8 h 8 min at most (29,295 s).
     */
    public static final RetryBackoff DEFAULT = exponential(Duration.ofSeconds(1), Duration.ofHours(1));

    public RetryBackoff {
        Setting.checkArgument("first", first, Duration.ZERO, MAX_FIRST);
        Setting.checkArgument("longest", longest, first, MAX_LONGEST);
        Setting.checkArgument("jitter", jitter, 0.0, 1.0);
    }

    /** Returns a backoff that doubles from {@code first} to {@code longest}, with a jitter of 0.5. */
    public static RetryBackoff exponential(Duration first, Duration longest) {
        return new RetryBackoff(first, longest, 0.5);
    }

    /** Returns a backoff with the same delay after each failure, without jitter. */
    public static RetryBackoff fixed(Duration delay) {
        return new RetryBackoff(delay, delay, 0);
    }

    /** Returns a copy with another jitter, 0 to 1. */
    public RetryBackoff withJitter(double part) {
        return new RetryBackoff(first, longest, part);
    }

    /** Returns the delay after failure number {@code failure}, from 1. */
    Duration delay(int failure, RandomGenerator random) {
        double doubled = (double) first.toMillis() * Math.pow(2, failure - 1);
        double whole = Math.min(doubled, (double) longest.toMillis());
        return Duration.ofMillis((long) (whole * (1 - jitter * random.nextDouble())));
    }
}
