// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.Figure;
import io.millrace.lab.experiment.Scenario;
import java.util.List;
import org.junit.jupiter.api.Test;

class ComparisonTest {

    private static String report(Scenario scenario, double jedis, double lettuce, double... millrace) {
        return Report.json(new MeasuredRun(
                SampleRun.ENVIRONMENT,
                "lab run",
                false,
                List.of(new Experiment("e", "Title of e", "", List.of(scenario))),
                List.of(
                        SampleRun.result("e", scenario, SampleRun.contender("jedis", ""), jedis, jedis, jedis, jedis),
                        SampleRun.result(
                                "e",
                                scenario,
                                SampleRun.contender("lettuce", ""),
                                lettuce,
                                lettuce + 20,
                                lettuce - 20,
                                lettuce),
                        SampleRun.result("e", scenario, SampleRun.contender("millrace", "shared"), millrace)),
                List.of()));
    }

    @Test
    void differenceHasAFactorWithItsIntervalAndATieHasNone() {
        Scenario rates = Scenario.named("s", "S").build();

        String text = Comparison.of(
                        report(rates, 100, 100, 300, 301, 299, 300), report(rates, 50, 105, 600, 602, 598, 600))
                .text();

        assertThat(text)
                .contains("the second is better in 1, worse in 1. No difference is proved in 1")
                .containsPattern("e s, jedis .* worse by 2.00 \\(2.00 to 2.00\\)")
                .containsPattern("e s, lettuce .* ≈ 1.05")
                .containsPattern("e s, millrace/shared .* better by 2.00 \\(1.99 to 2.01\\)");
    }

    @Test
    void lessIsBetterTurnsTheDirection() {
        Scenario sizes = Scenario.named("s", "S")
                .comparedBy("seconds", Figure.WALL_SECONDS, true)
                .build();

        String text = Comparison.of(
                        report(sizes, 100, 100, 300, 301, 299, 300), report(sizes, 50, 100, 600, 602, 598, 600))
                .text();

        assertThat(text).containsPattern("e s, jedis .* worse by 2.00").containsPattern("millrace/shared .* better by");
    }

    @Test
    void rowOfOneReportAloneIsNamed() {
        Scenario first = Scenario.named("first", "First").build();
        Scenario second = Scenario.named("second", "Second").build();

        var comparison = Comparison.of(report(first, 100, 100, 300, 301), report(second, 100, 100, 300, 301));

        assertThat(comparison.text())
                .contains("0 rows are in both reports")
                .contains("only in the second: e second jedis", "only in the first: e first/shared millrace");
        assertThat(comparison.html()).contains("Rows without a partner");
    }
}
