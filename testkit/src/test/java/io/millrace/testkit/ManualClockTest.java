// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ManualClockTest {

    @Test
    void clockStandsStillUntilItIsAdvanced() {
        ManualClock clock = new ManualClock(-5);

        long before = clock.getAsLong();
        clock.advance(Duration.ofMillis(2));

        assertThat(before).isEqualTo(-5);
        assertThat(clock.getAsLong()).isEqualTo(1_999_995);
    }

    @Test
    void differenceOfTwoTimesIsCorrectEvenIfTheClockOverflowsInBetween() {
        ManualClock clock = new ManualClock();
        long before = clock.getAsLong();

        clock.advance(Duration.ofSeconds(2));

        assertThat(clock.getAsLong()).isNegative();
        assertThat(clock.getAsLong() - before).isEqualTo(2_000_000_000);
    }

    @Test
    void concurrentAdvancesAreNotLost() throws InterruptedException {
        ManualClock clock = new ManualClock(0);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            threads.add(Thread.ofPlatform().start(() -> {
                for (int tick = 0; tick < 10_000; tick++) {
                    clock.advance(Duration.ofNanos(1));
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(clock.getAsLong()).isEqualTo(40_000);
    }

    @Test
    void negativeAdvanceIsRejected() {
        assertThatThrownBy(() -> new ManualClock().advance(Duration.ofNanos(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("by=PT-0.000000001S");
    }
}
