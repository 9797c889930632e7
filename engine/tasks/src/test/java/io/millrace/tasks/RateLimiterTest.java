// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RateLimiterTest {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    @Test
    void attemptsAreSpacedEvenly() {
        RateLimiter rateLimiter = new RateLimiter(100);

        assertThat(rateLimiter.reserve(1, 0)).isZero();
        assertThat(rateLimiter.reserve(1, 0)).isEqualTo(10 * MILLI);
        assertThat(rateLimiter.reserve(1, 0)).isEqualTo(20 * MILLI);
        assertThat(rateLimiter.reserve(1, 5 * MILLI)).isEqualTo(25 * MILLI);
    }

    @Test
    void unusedAttemptsCanBeUsedForTenMillisecondsOnly() {
        RateLimiter rateLimiter = new RateLimiter(1_000);
        long immediate = 0;

        while (rateLimiter.reserve(1, 60 * SECOND) <= 0) {
            immediate++;
        }

        assertThat(immediate).isEqualTo(11); // 10 unused attempts of the last 10 ms, and 1 attempt that is due
    }

    @Test
    void attemptsNeverExceedTheRate() {
        RateLimiter rateLimiter = new RateLimiter(500);
        long attempts = 0;
        long now = 0;

        for (; now < SECOND; attempts++) {
            now += Math.max(0, rateLimiter.reserve(1, now));
        }

        assertThat(attempts).isBetween(500L, 507L);
    }

    @Test
    void reservationOfFiveAttemptsDelaysTheNextAttemptByFiveIntervals() {
        RateLimiter rateLimiter = new RateLimiter(1_000);

        assertThat(rateLimiter.reserve(5, 0)).isZero();
        assertThat(rateLimiter.reserve(1, 0)).isEqualTo(5 * MILLI);
    }
}
