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
        row("tied", "jedis", "", 100, 110, 90, 100);
        row("tied", "millrace", "", 101, 111, 91, 101);
        row("lost", "jedis", "", 200, 201, 199, 200);
        row("lost", "millrace", "", 100, 101, 99, 100);

        assertThat(sentences())
                .containsExactly(
                        "jedis leads in 1 of 2 scenarios. The largest lead is in “lost”"
                                + " (commands per second): 2.00 (1.98 to 2.02) times as good as millrace.",
                        "In 1 scenario no difference between the first two libraries is proved:"
                                + " “tied” (millrace and jedis).",
                        "Millrace is behind in 1 scenario: “lost” (commands per second): jedis is"
                                + " 2.00 (1.98 to 2.02) times as good.");
    }

    @Test
    void eachLibraryTakesPartWithItsBestMode() {
        row("s", "lettuce", "slow", 10, 11, 9, 10);
        row("s", "lettuce", "fast", 100, 101, 99, 100);
        row("s", "millrace", "", 200, 201, 199, 200);

        assertThat(sentences().getFirst()).contains("2.00 (1.98 to 2.02) times as good as lettuce");
    }

    @Test
    void otherModesOfMillraceAreReferences() {
        Scenario scenario = Scenario.named("s", "s").build();
        row("s", "jedis", "", 100, 101, 99, 100);
        row("s", "millrace", "", 50, 51, 49, 50);
        results.add(SampleRun.result(
                "e", scenario, SampleRun.contender("millrace", "one-connection").asReference(), 200, 201, 199, 200));

        assertThat(sentences())
                .contains("Millrace is behind in 1 scenario: “s” (commands per second): jedis is"
                        + " 2.00 (1.96 to 2.04) times as good.");
    }

    @Test
    void otherModesOfMillraceAreReferencesInOlderReports() {
        Scenario scenario = Scenario.named("8-callers", "s").build();
        for (String experiment : List.of("calls", "tune")) {
            for (String mode : List.of("platform", "platform-one-connection", "unfused")) {
                results.add(SampleRun.result(
                        experiment, scenario, SampleRun.contender("millrace", mode), 100, 101, 99, 100));
            }
        }
        String older = Report.json(new MeasuredRun(SampleRun.ENVIRONMENT, "", false, List.of(), results, List.of()))
                .replaceAll("\"reference\" : \\w+,", "");

        assertThat(ReadReport.parse(older).rows())
                .filteredOn(Row::isReference)
                .extracting(row -> row.json().path("experiment").asString("") + " " + row.mode())
                .containsExactly("calls platform-one-connection", "calls unfused");
    }

    @Test
    void unfairAndFailedRowsDoNotLead() {
        row("s", "jedis", "", 100, 101, 99, 100);
        row("s", "millrace", "", 50, 51, 49, 50);
        Scenario scenario = Scenario.named("s", "s").build();
        Contender unfair = new JvmContender(
                new Contender.Description("raw-socket", "", "", "", Optional.of("handles no errors")), context -> {
                    throw new IllegalStateException("a sample is never run");
                });
        results.add(SampleRun.result("e", scenario, unfair, 900, 901, 899, 900));
        Result wrong = SampleRun.result("e", scenario, SampleRun.contender("vertx", ""), 800, 801, 799, 800);
        results.add(new Result(
                "e", scenario, wrong.contender(), wrong.roundTrip(), wrong.samples(), Optional.of("wrong data")));

        assertThat(sentences().getFirst()).startsWith("jedis leads in 1 of 1 scenario.");
    }

    @Test
    void scenarioThatComparesByModeHasALeaderInEachMode() {
        Scenario scenario = Scenario.named("s", "s").comparedByMode().build();
        results.add(SampleRun.result("e", scenario, SampleRun.contender("fs2", "a"), 100, 101, 99, 100));
        results.add(SampleRun.result("e", scenario, SampleRun.contender("millrace", "a"), 50, 51, 49, 50));
        results.add(SampleRun.result("e", scenario, SampleRun.contender("fs2", "b"), 100, 101, 99, 100));
        results.add(SampleRun.result("e", scenario, SampleRun.contender("millrace", "b"), 900, 901, 899, 900));
        results.add(SampleRun.result("e", scenario, SampleRun.contender("jdk", "c"), 100, 101, 99, 100));

        assertThat(sentences())
                .anySatisfy(text -> assertThat(text).startsWith("fs2 leads in 1 of 2 scenarios (millrace in 1)."))
                .anySatisfy(text -> assertThat(text).startsWith("Millrace is behind in 1 scenario: “s: a”"));
    }

    @Test
    void scenariosWithTooFewRoundsAreCountedApart() {
        row("few", "jedis", "", 100, 101, 102);
        row("few", "millrace", "", 900, 901, 902);
        row("enough", "jedis", "", 100, 101, 99, 100);
        row("enough", "millrace", "", 200, 201, 199, 200);

        assertThat(sentences())
                .contains("Too few rounds to compare in 1 scenario.")
                .anySatisfy(text -> assertThat(text).startsWith("millrace leads in 1 of 1 scenario."));
    }

    @Test
    void tooFewRoundsProveNoLead() {
        row("s", "jedis", "", 100, 101, 102);
        row("s", "millrace", "", 900, 901, 902);

        assertThat(sentences())
                .containsExactly("Too few rounds to compare in 1 scenario:"
                        + " one of the first two libraries has fewer than 4 rounds.");
    }
}
