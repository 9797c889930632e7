// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.run.Run;
import io.millrace.lab.run.TestRuns;
import io.millrace.lab.run.TestRuns.PaperContender;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class FactorsTest {

    private static final Run FIRST = TestRuns.of("jedis", "one-by-one", 8, 8, 9);
    private static final Run OTHERS_FIRST = TestRuns.of("millrace", "one-by-one", 4);
    private static final Run PIPELINE = TestRuns.of("jedis", "pipeline", 2, 1, 2);
    private static final Run OTHERS_PIPELINE = TestRuns.of("millrace", "pipeline", 1);

    private static Run wrong(String name, String variant, double wall) {
        return TestRuns.of(
                new PaperContender(name, variant, Optional.empty()),
                List.of("a key is missing"),
                Optional.empty(),
                wall);
    }

    private static Run far(Run run) {
        return new Run(
                run.workload(), run.contender(), Duration.ofMillis(1), run.operations(), run.samples(), run.failure());
    }

    @Test
    void theFirstVariantOfAContenderIsTheMeasureOfItsOthers() {
        var all = List.of(FIRST, OTHERS_FIRST, PIPELINE, OTHERS_PIPELINE);

        assertThat(Factors.of(FIRST, all)).hasValue(1.0);
        assertThat(Factors.of(OTHERS_FIRST, all)).hasValue(1.0);
        assertThat(Factors.of(PIPELINE, all)).hasValue(4.0);
        assertThat(Factors.of(OTHERS_PIPELINE, all)).hasValue(4.0);
    }

    @Test
    void whoHasNoFirstVariantIsMeasuredByWhoeverComesFirst() {
        var all = List.of(FIRST, TestRuns.of("glide", "pipeline", 16));

        assertThat(Factors.of(all.getLast(), all)).hasValue(0.5);
    }

    @Test
    void whatIsNotVerifiedHasNoFactor() {
        var all = List.of(FIRST, wrong("jedis", "pipeline", 0.001));

        assertThat(Factors.of(all.getLast(), all)).isEmpty();
    }

    @Test
    void whatIsNotVerifiedIsNobodysMeasure() {
        var all = List.of(wrong("jedis", "one-by-one", 100), PIPELINE);

        assertThat(Factors.of(PIPELINE, all)).isEmpty();
    }

    @Test
    void anotherRoundTripHasItsOwnMeasure() {
        var all = List.of(FIRST, PIPELINE, far(PIPELINE));

        assertThat(Factors.of(all.getLast(), all)).hasValue(1.0);
    }
}
