// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PaceTest {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    @Test
    void attemptsAreSpacedEvenly() {
        Pace pace = new Pace(100);

        assertThat(pace.reserve(1, 0)).isZero();
        assertThat(pace.reserve(1, 0)).isEqualTo(10 * MILLI);
        assertThat(pace.reserve(1, 0)).isEqualTo(20 * MILLI);
        assertThat(pace.reserve(1, 5 * MILLI)).isEqualTo(25 * MILLI);
    }

    @Test
    void whatWasLeftUnusedIsNotSavedUp() {
        Pace pace = new Pace(1_000);
        long atOnce = 0;

        while (pace.reserve(1, 60 * SECOND) <= 0) {
            atOnce++;
        }

        assertThat(atOnce).isEqualTo(11); // ten milliseconds' worth, and the one that is due
    }

    @Test
    void noMoreBeginInAnyTimeThanTheRateAllows() {
        Pace pace = new Pace(500);
        long begun = 0;
        long now = 0;

        for (; now < SECOND; begun++) {
            now += Math.max(0, pace.reserve(1, now));
        }

        assertThat(begun).isBetween(500L, 507L);
    }

    @Test
    void severalCostAsMuchAsEachByItself() {
        Pace pace = new Pace(1_000);

        assertThat(pace.reserve(5, 0)).isZero();
        assertThat(pace.reserve(1, 0)).isEqualTo(5 * MILLI);
    }
}
