// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.experiment.Contender;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Result;
import io.millrace.lab.experiment.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class FindingsTest {

    private final List<Result> results = new ArrayList<>();

    private void row(String scenario, String library, String mode, double... rates) {
        results.add(SampleRun.result(
                "e", Scenario.named(scenario, scenario).build(), SampleRun.contender(library, mode), rates));
    }

    private List<String> sentences() {
        var run = new MeasuredRun(SampleRun.ENVIRONMENT, "lab run", false, List.of(), results, List.of());
        return Findings.of(ReadReport.parse(Report.json(run))).sentences();
    }

    @Test
    void lossesAndTiesOfMillraceAreNamedWithIntervals() {
        row("tied", "jedis", "", 100, 110, 90);
        row("tied", "millrace", "", 101, 111, 91);
        row("lost", "jedis", "", 200, 201, 199);
        row("lost", "millrace", "", 100, 101, 99);

        assertThat(sentences())
                .containsExactly(
                        "jedis leads in 1 of 2 scenarios. The largest lead is in “lost”:"
                                + " 2.00 (1.97 to 2.03) times millrace.",
                        "In 1 scenario no difference between the first two libraries is proved:"
                                + " “tied” (millrace and jedis).",
                        "Millrace is behind in 1 scenario: “lost”: jedis is ahead by 2.00 (1.97 to 2.03).");
    }

    @Test
    void eachLibraryTakesPartWithItsBestMode() {
        row("s", "lettuce", "slow", 10, 11, 9);
        row("s", "lettuce", "fast", 100, 101, 99);
        row("s", "millrace", "", 200, 201, 199);

        assertThat(sentences().getFirst()).contains("2.00 (1.97 to 2.03) times lettuce");
    }

    @Test
    void unfairAndFailedRowsDoNotLead() {
        row("s", "jedis", "", 100, 101, 99);
        row("s", "millrace", "", 50, 51, 49);
        Scenario scenario = Scenario.named("s", "s").build();
        Contender unfair = new JvmContender(
                new Contender.Description("raw-socket", "", "", "", Optional.of("handles no errors")), context -> {
                    throw new IllegalStateException("a sample is never run");
                });
        results.add(SampleRun.result("e", scenario, unfair, 900, 901, 899));
        Result wrong = SampleRun.result("e", scenario, SampleRun.contender("vertx", ""), 800, 801, 799);
        results.add(new Result(
                "e", scenario, wrong.contender(), wrong.roundTrip(), wrong.samples(), Optional.of("wrong data")));

        assertThat(sentences().getFirst()).startsWith("jedis leads in 1 of 1 scenario.");
    }

    @Test
    void tooFewRoundsProveNoLead() {
        row("s", "jedis", "", 100, 101);
        row("s", "millrace", "", 900, 901);

        assertThat(sentences())
                .containsExactly("Too few rounds to compare:"
                        + " in 1 scenario one of the first two libraries has fewer than 3 rounds.");
    }
}
