// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PercentTextTest {

    @ParameterizedTest
    @CsvSource({"0%, 0", "10%, 0.1", "0.5%, 0.005", "50%, 0.5"})
    void percentageIsParsedAsAFraction(String typed, double expected) {
        assertThat(PercentText.parse(typed)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "10", "0.1", "-1%", "1,5%", "1000%", "ten%"})
    void otherTextIsRefusedWithAnExample(String typed) {
        assertThatThrownBy(() -> PercentText.parse(typed))
                .hasMessage("'" + typed + "' is not a share. Write a percentage, such as 10%.");
    }
}
