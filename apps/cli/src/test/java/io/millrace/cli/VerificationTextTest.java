// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class VerificationTextTest {

    @ParameterizedTest
    @CsvSource({"none, 0", "full, 1", "sample:1%, 0.01", "sample:0.5%, 0.005", "sample:100%, 1"})
    void textIsParsedAsAShare(String typed, double expected) {
        assertThat(VerificationText.parse(typed).share()).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "yes", "FULL", "sample", "sample:1", "sample:0%", "sample:101%", "sample:-1%", "1%"})
    void invalidShareIsRefusedWithTheValidForms(String typed) {
        assertThatThrownBy(() -> VerificationText.parse(typed))
                .hasMessage("'" + typed + "' is not a valid share. Write none, full, or a share above 0 and up to 100 "
                        + "percent, such as sample:1%.");
    }
}
