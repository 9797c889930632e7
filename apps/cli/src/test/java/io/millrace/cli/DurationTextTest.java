// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationTextTest {

    @ParameterizedTest
    @CsvSource({"1ms, PT0.001S", "500ms, PT0.5S", "30s, PT30S", "15m, PT15M", "1h, PT1H", "7d, P7D", "36500d, P36500D"})
    void numberWithAUnitIsParsedAsADuration(String typed, Duration expected) {
        assertThat(DurationText.parse(typed)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "5", "h", "1 h", "1H", "1.5h", "-1s", "1h30m", "5 minutes", "1w", "１s"})
    void invalidDurationIsRefusedWithTheValidForms(String typed) {
        assertThatThrownBy(() -> DurationText.parse(typed))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("'" + typed
                        + "' is not a duration. Write a whole number and a unit: 500ms, 30s, 15m, 1h or 7d.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"999999999999999999d", "999999999999999999h"})
    void durationBeyond63BitsIsParsedAsTheLongestDuration(String typed) {
        assertThat(DurationText.parse(typed)).isEqualTo(Duration.ofSeconds(Long.MAX_VALUE));
    }
}
