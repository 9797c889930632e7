// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.report.Tables.WorkloadVerdict;
import io.millrace.lab.run.Bar;
import io.millrace.lab.run.Bar.Bound;
import io.millrace.lab.run.Figure;
import io.millrace.lab.run.TestRuns;
import io.millrace.lab.run.TestRuns.PaperContender;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TablesTest {

    @Test
    void aRunShowsMedianSpreadRateCpuAndServer() {
        var table = Tables.runs(List.of(TestRuns.of("peer", "warm", 3, 1, 2)));

        assertThat(table.lines().limit(2))
                .containsExactly(
                        "workload  contender  median s        spread s  per second  client CPU us/op  server busy  verified",
                        "set       peer/warm     2.000  1.000 to 3.000         500          1000.000        0.750       yes");
    }

    @Test
    void anUnfairSettingIsCalledSoBelowTheTable() {
        var unfair = new PaperContender("peer", "warm", Optional.of("it reads no replies"));

        var table = Tables.runs(List.of(TestRuns.of(unfair, List.of(), Optional.empty(), 1)));

        assertThat(table.lines()).contains("set, peer/warm: on paper; unfair: it reads no replies");
    }

    @Test
    void aVerdictAgainstSeveralNamesTheBestOfThem() {
        var runs = List.of(
                TestRuns.of("millrace", "warm", 0.1), TestRuns.of("slow", "warm", 4), TestRuns.of("fast", "warm", 0.5));
        var bar = Bar.toBest(
                "per second",
                "millrace/warm",
                List.of("slow/warm", "fast/warm"),
                Figure.PER_SECOND,
                Bound.atLeast(2.5));

        var table = Tables.verdicts(List.of(new WorkloadVerdict("calls", bar.judge(runs))));

        assertThat(table.lines().skip(1))
                .containsExactly(
                        "calls: per second, millrace/warm to fast/warm, the best peer  10,000  5.00 to 5.00  5.000  >= 2.50   yes");
    }

    @Test
    void aVerdictShowsRatioBarAndWhetherItWasHeld() {
        var runs = List.of(TestRuns.of("millrace", "warm", 1, 3, 2), TestRuns.of("peer", "warm", 4, 4, 8));
        var bar = Bar.ratio("wall", "millrace/warm", "peer/warm", Figure.WALL, Bound.atMost(0.4));

        var table = Tables.verdicts(List.of(new WorkloadVerdict("set", bar.judge(runs))));

        assertThat(table.lines())
                .containsExactly(
                        "figure                                 median        spread  ratio      bar  held",
                        "set: wall, millrace/warm to peer/warm   2.000  0.25 to 0.75  0.500  <= 0.40    NO");
    }
}
