// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** The times at which a load with a rate reads its rows, with a clock that only the pauses move. */
class RowRateTest {

    private static final long MILLIS = 1_000_000;

    private long now;
    private boolean stopped;

    @Test
    void rowsAreReadAtTheirTimes() {
        RowRate rate = rate(OptionalLong.of(100));

        for (int row = 0; row < 1_000; row++) {
            assertThat(rate.isStoppedBeforeNextRow()).isFalse();
            assertThat(now).isBetween((row - 1) * 10L * MILLIS, row * 10L * MILLIS);
        }
    }

    @Test
    void shortWaitsAreCollected() {
        RowRate rate = rate(OptionalLong.of(100_000));

        for (int row = 0; row <= 100_000; row++) {
            assertThat(rate.isStoppedBeforeNextRow()).isFalse();
        }

        assertThat(now).isBetween(998 * MILLIS, 1_000 * MILLIS);
    }

    @Test
    void loadCatchesUpAtMostOneSecond() {
        RowRate rate = rate(OptionalLong.of(100));
        assertThat(rate.isStoppedBeforeNextRow()).isFalse();
        now += 60_000 * MILLIS;
        long resumed = now;

        int atOnce = 0;
        while (!rate.isStoppedBeforeNextRow() && now == resumed) {
            atOnce++;
        }

        assertThat(atOnce).isBetween(95, 105);
    }

    @Test
    void stopEndsTheWait() {
        RowRate rate = rate(OptionalLong.of(1));
        assertThat(rate.isStoppedBeforeNextRow()).isFalse();
        stopped = true;

        assertThat(rate.isStoppedBeforeNextRow()).isTrue();
        assertThat(now).isZero();
    }

    @Test
    void loadWithoutARateNeverWaits() {
        RowRate rate = rate(OptionalLong.empty());

        for (int row = 0; row < 1_000; row++) {
            assertThat(rate.isStoppedBeforeNextRow()).isFalse();
        }

        assertThat(now).isZero();
    }

    private RowRate rate(OptionalLong rowsPerSecond) {
        return new RowRate(rowsPerSecond, () -> stopped, () -> now, nanos -> now += nanos);
    }
}
