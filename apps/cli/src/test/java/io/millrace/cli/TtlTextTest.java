// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TtlTextTest {

    @ParameterizedTest
    @CsvSource({"1ms, PT0.001S", "36500d, P36500D"})
    void shortestAndLongestExpiryAreAccepted(String typed, Duration expected) {
        assertThat(TtlText.parse(typed)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0ms", "0s", "36501d", "999999999999999999d", "999999999999999999h"})
    void durationOutOfRangeIsRefusedWithTheRange(String typed) {
        assertThatThrownBy(() -> TtlText.parse(typed))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith(" is out of range: 1 ms to 36,500 days.");
    }
}
