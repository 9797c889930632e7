// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.Workloads;
import io.millrace.lab.report.Curve.Point;
import io.millrace.lab.report.Findings.Missing;
import io.millrace.lab.report.Findings.Setting;
import io.millrace.lab.run.Measured;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.Run;
import io.millrace.lab.run.Sample;
import io.millrace.lab.run.Second;
import io.millrace.lab.run.Series;
import io.millrace.lab.run.TestRuns;
import io.millrace.lab.run.TestRuns.PaperContender;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

class LabTablesTest {

    private static final PaperContender LOSER = new PaperContender("loser", "warm", Optional.of("it reads no replies"));
    private static final PaperContender BROKEN = new PaperContender("broken", "warm", Optional.empty());

    private static Run far(Run run) {
        return new Run(
                run.workload(), run.contender(), Duration.ofMillis(1), run.operations(), run.samples(), run.failure());
    }

    @Test
    void runsAreShownByRoundTripWithFactorsAndWhatWentWrong() {
        var runs = List.of(
                TestRuns.of("peer", "warm", 3, 1, 2),
                TestRuns.of(LOSER, List.of("keys: 9", "keys: 8"), Optional.empty(), 0.1),
                TestRuns.of(BROKEN, List.of(), Optional.of("it fell over")),
                far(TestRuns.of("peer", "warm", 4)));

        assertThat(LabTables.of(Findings.of("", runs))).isEqualTo("""
                        set

                        variant  contender  operations  wall s        spread s  user s  system s  CPU %  per second  factor  server busy  verified
                        warm     peer            1,000   2.000  1.000 to 3.000   0.750     0.250     50         500    1.00         0.75       yes
                        warm     loser           1,000   0.100  0.100 to 0.100   0.038     0.013     50      10,000       -         0.75        NO
                        warm     broken          1,000       -               -       -         -      -           -       -            -        NO

                        peer: on paper (warm)
                        loser: on paper; unfair: it reads no replies (warm)
                        broken: on paper (warm)
                        warm, loser, WRONG DATA: keys: 9; keys: 8
                        warm, broken FAILED: it fell over

                        set, 1ms added to each round trip

                        variant  contender  operations  wall s        spread s  user s  system s  CPU %  per second  factor  server busy  verified
                        warm     peer            1,000   4.000  4.000 to 4.000   1.500     0.500     50         250    1.00         0.75       yes

                        peer: on paper (warm)

                        """);
    }

    @Test
    void secondsAreShownWithTheServersCountWhereItIsKnown() {
        var seconds = List.of(
                new Second(1, 5_000, new Outcomes(4_000, 1, 2, 3, 4), 990, 4_100),
                new Second(2, 0, new Outcomes(990, 0, 0, 0, 0), 0, -1));
        var measured = new Measured(
                2,
                1,
                OptionalDouble.empty(),
                Optional.empty(),
                Map.of(),
                List.of(),
                seconds,
                Optional.empty(),
                Optional.empty());
        var run = new Run(
                Workloads.named("set"),
                BROKEN,
                Duration.ZERO,
                5_000,
                List.of(new Sample(1, measured, OptionalDouble.of(1), new Outcomes(4_990, 1, 2, 3, 4), List.of())),
                Optional.empty());

        assertThat(LabTables.of(Findings.of("", List.of(run)))).contains("""
                        warm, broken, the last round second by second:
                        second  iterations     ok  errors  timeouts  refused  lost  pending  server commands
                             1       5,000  4,000       1         2        3     4      990            4,100
                             2           0    990       0         0        0     0        0                -
                        """);
    }

    @Test
    void whatTheMachineDoesNotTellIsADash() {
        var table = LabTables.of(Findings.of("", List.of(TestRuns.counting(10, 2))));

        assertThat(table).doesNotContain("NaN");
    }

    @Test
    void aCurveMarksItsPointsAndTakesThePlaceOfItsRuns() {
        var curve = new Curve(
                "set",
                "in-flight",
                "commands in flight",
                Duration.ofMillis(1),
                Map.of("inFlight", 64L),
                List.of(
                        new Point(16, new Series(List.of(1_000.0, 3_000.0)), 1.5, 0.25),
                        new Point(64, new Series(List.of(2_500.0)), 1.25, 0.5)),
                64,
                16,
                64,
                "window",
                "used of what there is");
        var findings = new Findings(
                "",
                List.of(TestRuns.of("peer", "warm", 1)),
                List.of(new Missing("set", "redis-benchmark/process", "not installed")),
                List.of(),
                List.of(curve),
                List.of(new Setting("the library", "in flight: 64")));

        assertThat(LabTables.of(findings)).isEqualTo("""
                        commands in flight, 1ms added to each round trip, with {inFlight=64}

                        value  per second          spread  client CPU us/op  server busy
                           16       2,000  1,000 to 3,000              1.50         0.25               knee
                           64       2,500  2,500 to 2,500              1.25         0.50  best, recommended
                        recommended: 64; bottleneck there: window (used of what there is)

                        missing: redis-benchmark/process: not installed
                        for the library:
                          in flight: 64
                        """);
    }
}
