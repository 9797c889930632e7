// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class SampledTimeTest {

    private static final long SECOND = 1_000_000_000L;

    private long now = 5;
    private long window;
    private final SampledTime time = new SampledTime(() -> now, () -> window);

    @Test
    void longWaitForTheFirstRowIsCountedOnce() {
        rows(1, SECOND, 100, 100, 0);
        rows(9_999, 200, 100, 100, 0);
        time.finish();

        assertThat(time.sourceSeconds()).isCloseTo(1.002, within(0.0001));
        assertThat(time.mappingSeconds()).isCloseTo(0.001, within(0.0001));
    }

    @Test
    void longWaitBetweenSamplesCountsAsSourceTime() {
        for (int i = 0; i < 10; i++) {
            rows(30, 200, 100, 100, 0);
            rows(1, SECOND, 100, 100, 0);
            rows(33, 200, 100, 100, 0);
        }
        time.finish();

        assertThat(time.sourceSeconds()).isCloseTo(10, within(0.01));
        assertThat(time.mappingSeconds()).isCloseTo(64e-6, within(2e-6));
    }

    @Test
    void pauseInASampledMappingDoesNotRaiseTheEstimateAboveTheTimeOfTheBlock() {
        rows(1, 100, SECOND, 100, 0);
        rows(63, 100, 100, 100, 0);
        time.finish();

        assertThat(time.mappingSeconds() + time.sourceSeconds()).isLessThanOrEqualTo(seconds());
        assertThat(time.mappingSeconds()).isGreaterThanOrEqualTo(1);
    }

    @Test
    void sendingThatIsLongForFewRowsDoesNotCountAsSourceTime() {
        for (int i = 0; i < 10_000; i++) {
            rows(1, 10, 10, 6_400, 0); // completes a fused command
            rows(63, 10, 10, 10, 0);
        }
        time.finish();

        assertThat(time.sourceSeconds()).isCloseTo(0.0064, within(0.001));
    }

    @Test
    void pauseInASampledSendingHardlyHidesTheSource() {
        rows(1, 1_000, 100, SECOND, 0);
        rows(1_000_000, 1_000, 100, 100, 0);
        time.finish();

        assertThat(time.sourceSeconds()).isGreaterThan(0.85);
    }

    @Test
    void longSendingOfALargeRowDoesNotCountAsSourceTime() {
        for (int i = 0; i < 122; i++) {
            time.start();
            now += 1_000;
            time.read();
            time.mapped(8 << 20);
            now += 20_000_000;
            time.ended();
        }
        time.finish();

        assertThat(time.sourceSeconds()).isCloseTo(122e-6, within(1e-6));
    }

    @Test
    void waitForTheWindowDoesNotCountAsSourceTimeOrMappingTime() {
        rows(1, 100, 100, 100, SECOND);
        rows(1_000, 100, 100, 100, 1_000);
        time.finish();

        assertThat(time.sourceSeconds()).isCloseTo(1_001e-7, within(1e-6));
        assertThat(time.mappingSeconds()).isCloseTo(1_001e-7, within(1e-6));
        assertThat(time.sourceSeconds() + time.mappingSeconds() + window / 1e9).isLessThanOrEqualTo(seconds());
    }

    private double seconds() {
        return (now - 5) / 1e9;
    }

    private void rows(int count, long source, long mapping, long sending, long waiting) {
        for (int i = 0; i < count; i++) {
            time.start();
            now += source;
            time.read();
            now += mapping;
            time.mapped();
            now += sending + waiting;
            window += waiting;
            time.ended();
        }
    }
}
