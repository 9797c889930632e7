// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.lab.experiment.Figure;
import io.millrace.lab.experiment.Scenario;
import io.millrace.lab.report.SampleRun;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class EstimateTest {

    @Test
    void medianAndIntervalOfEqualValuesAreTheValue() {
        Estimate estimate = Estimate.of(new Values(List.of(List.of(5.0, 5.0), List.of(5.0, 5.0))), 1);

        assertThat(estimate).isEqualTo(new Estimate(5, 5, 5, 4));
        assertThat(estimate.isDistinctFrom(5)).isFalse();
        assertThat(estimate.isDistinctFrom(5.01)).isTrue();
    }

    @Test
    void medianOfAnEvenNumberIsTheMiddleOfTheTwoMiddleValues() {
        assertThat(Values.ofOneFork(List.of(4.0, 1.0, 2.0, 10.0)).median()).isEqualTo(3);
        assertThat(Values.NONE.median()).isNaN();
    }

    @Test
    void intervalOfThreeValuesIsTheirRange() {
        Estimate estimate = Estimate.of(Values.ofOneFork(List.of(3.0, 1.0, 2.0)), 1);

        assertThat(estimate).isEqualTo(new Estimate(2, 1, 3, 3));
    }

    @Test
    void threeValuesProveNoDifference() {
        Values fast = Values.ofOneFork(List.of(100.0, 101.0, 102.0));
        Values slow = Values.ofOneFork(List.of(10.0, 11.0, 12.0));

        assertThat(Estimate.ratio(fast, slow, 1).isDistinctFrom(1)).isFalse();
    }

    @Test
    void differencesBetweenProcessesWidenTheInterval() {
        List<Double> spread = List.of(9.0, 9.5, 10.0, 10.5, 11.0);
        Values alike = new Values(List.of(spread, spread, spread));
        Values apart = new Values(
                List.of(Collections.nCopies(5, 9.0), Collections.nCopies(5, 10.0), Collections.nCopies(5, 11.0)));

        Estimate ofAlike = Estimate.of(alike, 1);
        Estimate ofApart = Estimate.of(apart, 1);

        assertThat(ofAlike.median()).isEqualTo(ofApart.median());
        assertThat(ofApart.high() - ofApart.low()).isGreaterThan(ofAlike.high() - ofAlike.low());
    }

    @Test
    void mostIntervalsContainTheTrueMedian() {
        var random = new Random(7);

        long containing = IntStream.range(0, 400)
                .mapToObj(run -> Estimate.of(normal(random, 25), run))
                .filter(estimate -> estimate.low() <= 100 && estimate.high() >= 100)
                .count();

        assertThat(containing / 400.0).isBetween(0.90, 0.99);
    }

    private static Values normal(Random random, int count) {
        return Values.ofOneFork(DoubleStream.generate(() -> 100 + 5 * random.nextGaussian())
                .limit(count)
                .boxed()
                .toList());
    }

    @Test
    void ratioOfEqualDistributionsIsNotDistinctFromOne() {
        var random = new Random(11);

        Estimate ratio = Estimate.ratio(normal(random, 25), normal(random, 25), 1);

        assertThat(ratio.median()).isCloseTo(1, within(0.05));
        assertThat(ratio.isDistinctFrom(1)).isFalse();
    }

    @Test
    void ratioOfResultsIgnoresWarmUps() {
        Scenario scenario = Scenario.named("s", "S").build();
        var fast = SampleRun.result("e", scenario, SampleRun.contender("a", ""), 200, 202, 198, 200);
        var slow = SampleRun.result("e", scenario, SampleRun.contender("b", ""), 100, 101, 99, 100);

        Estimate ratio = Estimate.ratio(fast, slow, Figure.PER_SECOND, 1);

        assertThat(ratio.median()).isCloseTo(2, within(1e-9));
        assertThat(ratio.low()).isBetween(198 / 101.0, 2.0);
        assertThat(ratio.high()).isBetween(2.0, 202 / 99.0);
        assertThat(ratio.isDistinctFrom(1)).isTrue();
        assertThat(ratio.inverse().low()).isCloseTo(1 / ratio.high(), within(1e-9));
    }

    @Test
    void figureWithoutValuesIsNotKnown() {
        Scenario scenario = Scenario.named("s", "S").build();
        var result = SampleRun.result("e", scenario, SampleRun.contender("a", ""), 200, 202, 198);

        Estimate estimate = Estimate.of(result, Figure.own("no such figure"), 1);

        assertThat(estimate.isKnown()).isFalse();
        assertThat(estimate.isDistinctFrom(1)).isFalse();
    }

    @Test
    void sameSeedGivesTheSameInterval() {
        List<Double> values = new ArrayList<>(
                IntStream.range(0, 20).mapToObj(i -> Math.sqrt(i)).toList());

        assertThat(Estimate.of(Values.ofOneFork(values), 42)).isEqualTo(Estimate.of(Values.ofOneFork(values), 42));
    }
}
