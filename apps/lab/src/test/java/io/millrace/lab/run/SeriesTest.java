// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SeriesTest {

    @Test
    void theMedianOfAnOddNumberIsTheMiddleOne() {
        assertThat(new Series(List.of(9.0, 1.0, 2.0)).median()).hasValue(2.0);
    }

    @Test
    void theMedianOfAnEvenNumberIsTheMeanOfTheMiddleTwo() {
        assertThat(new Series(List.of(9.0, 1.0, 2.0, 4.0)).median()).hasValue(3.0);
    }

    @Test
    void nothingHasNoMedianAndNoSpread() {
        var nothing = new Series(List.of());

        assertThat(nothing.median()).isEmpty();
        assertThat(nothing.min()).isEmpty();
        assertThat(nothing.max()).isEmpty();
    }

    @Test
    void aSeriesIsDividedRoundByRoundAsFarAsBothGo() {
        var quotient = new Series(List.of(1.0, 6.0, 5.0)).dividedBy(new Series(List.of(2.0, 3.0)));

        assertThat(quotient.values()).containsExactly(0.5, 2.0);
    }
}
