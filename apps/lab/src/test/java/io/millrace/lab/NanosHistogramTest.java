// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class NanosHistogramTest {

    @Test
    void aQuantileIsTheTimeAtOrBelowWhichThatShareLies() {
        var histogram = new NanosHistogram();
        for (int i = 1; i <= 100; i++) {
            histogram.add(10L * i);
        }

        assertThat(histogram.quantile(0.5)).isEqualTo(500);
        assertThat(histogram.quantile(0.99)).isEqualTo(990);
        assertThat(histogram.quantile(0)).isEqualTo(10);
    }

    @Test
    void whatIsVeryLongIsInTheLastStep() {
        var histogram = new NanosHistogram();

        histogram.add(5_000_000_000L);

        assertThat(histogram.quantile(1)).isEqualTo(99_990);
    }

    @Test
    void nothingHasNoQuantile() {
        assertThat(new NanosHistogram().quantile(0.5)).isZero();
    }
}
