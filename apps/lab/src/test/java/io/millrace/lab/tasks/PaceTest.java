// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class PaceTest {

    @ParameterizedTest
    @CsvSource({"SLOW_PRODUCER, 1000, 10, 100", "BALANCED, 1005, 10, 2000", "SLOW_CONSUMER, 10, 10, 1000"})
    void theWaitsAreThoseOfTheReference(Pace pace, long produce, long least, long most) {
        var scenario = pace.scenario(1, Pace.FULL, 1);
        var waits = scenario.consume();

        assertThat(scenario.tasks()).isEqualTo(1_000);
        assertThat(scenario.batches()).isEqualTo(10);
        assertThat(scenario.consumers()).isEqualTo(100);
        assertThat(scenario.produce()).isEqualTo(Duration.ofMillis(produce));
        assertThat(waits).allSatisfy(wait -> {
            assertThat(wait).isBetween(Duration.ofMillis(least), Duration.ofMillis(most));
            assertThat(wait.toNanosPart() % 1_000_000).isZero();
        });
        assertThat(waits.stream().mapToLong(Duration::toMillis).average().orElseThrow())
                .isBetween((least + most) / 2.0 * 0.9, (least + most) / 2.0 * 1.1);
    }

    @ParameterizedTest
    @EnumSource(Pace.class)
    void theSeedDecidesAndTheNumberOfProducersDoesNot(Pace pace) {
        var waits = pace.scenario(1, Pace.FULL, 1).consume();

        assertThat(pace.scenario(1, Pace.FULL, 10).consume()).isEqualTo(waits);
        assertThat(pace.scenario(2, Pace.FULL, 1).consume()).isNotEqualTo(waits);
    }

    @ParameterizedTest
    @EnumSource(Pace.class)
    void aTenthOfTheWaitsIsATenthOfEach(Pace pace) {
        var full = pace.scenario(1, Pace.FULL, 1);
        var tenth = pace.scenario(1, Pace.FULL / 10, 1);

        assertThat(tenth.produce().multipliedBy(10)).isEqualTo(full.produce());
        assertThat(tenth.consume())
                .isEqualTo(
                        full.consume().stream().map(wait -> wait.dividedBy(10)).toList());
    }

    @Test
    void noWaitsAtAllAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Pace.BALANCED.scenario(1, 0, 1))
                .withMessage("no waits: thousandths=0. Ask for 1 or more.");
    }
}
