// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.lab.server.CpuTime;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class FigureTest {

    private static Sample sample(double exactSeconds) {
        return new Sample(
                1,
                1,
                1_000,
                4,
                2.0,
                new CpuTime(1.2, 0.4, exactSeconds),
                Optional.empty(),
                Optional.empty(),
                RoundDetails.NONE,
                List.of(),
                List.of());
    }

    @Test
    void timesAreThoseOfOneUnitAndCpuIsAPercentageOfTheWallTime() {
        Sample exact = sample(1e-6);

        assertThat(Figure.UNIT_SECONDS.of(exact)).hasValue(0.5);
        assertThat(Figure.USER_SECONDS.of(exact).orElseThrow()).isCloseTo(0.3, within(1e-9));
        assertThat(Figure.SYSTEM_SECONDS.of(exact).orElseThrow()).isCloseTo(0.1, within(1e-9));
        assertThat(Figure.CPU_PERCENT.of(exact).orElseThrow()).isCloseTo(80, within(1e-9));
    }

    @Test
    void timesThatAreNotExactAreEmpty() {
        Sample coarse = sample(1);

        assertThat(Figure.USER_SECONDS.of(coarse)).isEmpty();
        assertThat(Figure.SYSTEM_SECONDS.of(coarse)).isEmpty();
        assertThat(Figure.CPU_PERCENT.of(coarse)).isEmpty();
    }
}
