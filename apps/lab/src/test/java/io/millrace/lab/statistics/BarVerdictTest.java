// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.statistics;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.experiment.Bar;
import io.millrace.lab.experiment.Bar.Limit;
import io.millrace.lab.experiment.Figure;
import io.millrace.lab.experiment.Result;
import io.millrace.lab.experiment.Scenario;
import io.millrace.lab.report.SampleRun;
import io.millrace.lab.statistics.BarVerdict.BarState;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BarVerdictTest {

    private static Scenario scenario(Bar bar) {
        return Scenario.named("s", "S").bars(bar).build();
    }

    private static Bar atLeast(double limit) {
        return Bar.ratio(
                "per second", "millrace", Figure.PER_SECOND, List.of("jedis", "lettuce"), Limit.atLeast(limit));
    }

    private static List<Result> results(Scenario scenario) {
        return List.of(
                SampleRun.result("e", scenario, SampleRun.contender("jedis", ""), 100, 101, 99, 100),
                SampleRun.result("e", scenario, SampleRun.contender("lettuce", ""), 200, 202, 198, 200),
                SampleRun.result("e", scenario, SampleRun.contender("millrace", ""), 300, 310, 290, 300));
    }

    private static BarVerdict verdict(List<Result> results) {
        List<BarVerdict> verdicts = BarVerdict.of(results, 1);
        assertThat(verdicts).hasSize(1);
        return verdicts.getFirst();
    }

    @Test
    void ratioComparesWithTheBestOfTheOthers() {
        BarVerdict verdict = verdict(results(scenario(atLeast(1.4))));

        assertThat(verdict.against()).contains("lettuce");
        assertThat(verdict.value().median()).isEqualTo(1.5);
        assertThat(verdict.state()).isEqualTo(BarState.HELD);
        assertThat(verdict.doubt()).isEmpty();
    }

    @Test
    void medianBelowTheLimitMissesTheBarEvenIfTheIntervalContainsTheLimit() {
        BarVerdict verdict = verdict(results(scenario(atLeast(1.52))));

        assertThat(verdict.state()).isEqualTo(BarState.MISSED);
        assertThat(verdict.doubt()).contains("the interval contains the limit");
    }

    @Test
    void unverifiedPeerLeavesTheVerdictUnknown() {
        List<Result> results = results(
                scenario(Bar.ratio("per second", "millrace", Figure.PER_SECOND, List.of("jedis"), Limit.atLeast(1))));
        Result jedis = results.getFirst();
        Result failed = new Result(
                "e", jedis.scenario(), jedis.contender(), Duration.ZERO, jedis.samples(), Optional.of("it failed"));

        BarVerdict verdict = verdict(List.of(failed, results.get(1), results.get(2)));

        assertThat(verdict.state()).isEqualTo(BarState.UNKNOWN);
    }

    /** Slow and fast rounds in turns: each round of {@code millrace} is compared with the next round. */
    private static BarVerdict byInterval(double limit, double... ratios) {
        double[] plain = {100, 200, 150, 120, 180, 110};
        double[] own = IntStream.range(0, ratios.length)
                .mapToDouble(round -> plain[round] * ratios[round])
                .toArray();
        Scenario scenario =
                scenario(Bar.ratio("per second", "millrace", Figure.PER_SECOND, List.of("jedis"), Limit.atLeast(limit))
                        .byInterval());
        return verdict(List.of(
                SampleRun.result("e", scenario, SampleRun.contender("jedis", ""), Arrays.copyOf(plain, ratios.length)),
                SampleRun.result("e", scenario, SampleRun.contender("millrace", ""), own)));
    }

    @Test
    void intervalOfPairedRoundsDecidesALimitThatIsSmallerThanTheDifferencesBetweenRounds() {
        BarVerdict held = byInterval(0.95, 0.97, 0.98, 0.96, 0.99, 0.98, 0.97);
        BarVerdict missed = byInterval(0.95, 0.92, 0.93, 0.91, 0.94, 0.93, 0.92);
        BarVerdict unknown = byInterval(0.95, 0.90, 0.98, 0.97, 0.92, 0.99, 0.93);

        assertThat(held.state()).isEqualTo(BarState.HELD);
        assertThat(held.value().low()).isBetween(0.96, 0.98);
        assertThat(held.value().high()).isBetween(0.97, 0.99);
        assertThat(missed.state()).isEqualTo(BarState.MISSED);
        assertThat(unknown.state()).isEqualTo(BarState.UNKNOWN);
        assertThat(unknown.doubt()).contains("the interval contains the limit");
    }

    @Test
    void threePairsDecideNothingByTheirInterval() {
        BarVerdict verdict = byInterval(0.95, 0.97, 0.98, 0.96);

        assertThat(verdict.state()).isEqualTo(BarState.UNKNOWN);
        assertThat(verdict.doubt()).contains("fewer than 4 rounds");
    }

    private static Bar toLargestPart() {
        return Bar.toLargestPart(
                "wall", "millrace", Figure.WALL_SECONDS, List.of("jedis", "lettuce"), Limit.atMost(0.7));
    }

    @Test
    void limitForTheLargestPartComparesWithTheSlowestOfTheOthers() {
        BarVerdict verdict = verdict(results(scenario(toLargestPart())));

        assertThat(verdict.against()).contains("jedis");
        assertThat(verdict.state()).isEqualTo(BarState.HELD);
    }

    @Test
    void partThatIsMissingLeavesTheVerdictAboutTheLargestPartUnknown() {
        List<Result> results = results(scenario(toLargestPart()));

        BarVerdict verdict = verdict(results.subList(1, 3));

        assertThat(verdict.state()).isEqualTo(BarState.UNKNOWN);
    }

    @Test
    void maximumComparesWithTheSmallestOfTheOthers() {
        BarVerdict verdict = verdict(results(scenario(
                Bar.ratio("wall", "millrace", Figure.WALL_SECONDS, List.of("jedis", "lettuce"), Limit.atMost(0.7)))));

        assertThat(verdict.against()).contains("lettuce");
        assertThat(verdict.state()).isEqualTo(BarState.HELD);
    }

    @Test
    void absoluteLimitNeedsNoPeer() {
        BarVerdict verdict = verdict(
                results(scenario(Bar.absolute("per second", "millrace", Figure.PER_SECOND, Limit.atMost(299)))));

        assertThat(verdict.against()).isEmpty();
        assertThat(verdict.state()).isEqualTo(BarState.MISSED);
    }
}
