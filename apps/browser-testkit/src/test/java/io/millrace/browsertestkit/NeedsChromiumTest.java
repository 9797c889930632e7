// SPDX-License-Identifier: Apache-2.0
package io.millrace.browsertestkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.browsertestkit.NeedsChromium.Condition;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NeedsChromiumTest {

    @Test
    void testsAreSkippedWithoutChromiumAndTheReasonNamesTheCommand() {
        ConditionEvaluationResult result = Condition.result(List.of("chromium", "chromedriver"), false);

        assertThat(result.isDisabled()).isTrue();
        assertThat(result.getReason().orElseThrow())
                .isEqualTo("not on the PATH: chromium, chromedriver (Debian: apt install chromium chromium-driver)");
    }

    @Test
    void testsFailWithoutChromiumInAContinuousBuild() {
        assertThatThrownBy(() -> Condition.result(List.of("chromedriver"), true))
                .hasMessage("not on the PATH: chromedriver (Debian: apt install chromium chromium-driver)."
                        + " With CI=true the tests of the pages must run");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void testsRunWithChromium(boolean ci) {
        assertThat(Condition.result(List.of(), ci).isDisabled()).isFalse();
    }
}
