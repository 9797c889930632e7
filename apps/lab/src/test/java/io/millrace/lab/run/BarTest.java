// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import static io.millrace.lab.run.Bar.Bound.atLeast;
import static io.millrace.lab.run.Bar.Bound.atMost;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class BarTest {

    private static final Run MINE = TestRuns.of("millrace", "warm", 1, 3, 2);
    private static final Run PEER = TestRuns.of("peer", "warm", 4, 4, 8);

    @Test
    void aRatioIsThatOfTheMediansWithoutTheWarmUp() {
        var bar = Bar.ratio("wall", "millrace/warm", "peer/warm", Figure.WALL, atMost(0.5));

        var verdict = bar.judge(List.of(PEER, MINE));

        assertThat(verdict.median()).hasValue(2.0);
        assertThat(verdict.value()).hasValue(0.5);
        assertThat(verdict.perRound().values()).containsExactly(0.25, 0.75, 0.25);
        assertThat(verdict.held()).contains(true);
    }

    @Test
    void aRatioAboveItsBarIsNotHeld() {
        var bar = Bar.ratio("wall", "millrace/warm", "peer/warm", Figure.WALL, atMost(0.49));

        assertThat(bar.judge(List.of(PEER, MINE)).held()).contains(false);
    }

    @Test
    void aFigureThatMustBeAtLeastItsBarIsHeldAboveIt() {
        var busy = Bar.absolute("server busy", "millrace/warm", Figure.SERVER_SHARE, atLeast(0.7));
        var busier = Bar.absolute("server busy", "millrace/warm", Figure.SERVER_SHARE, atLeast(0.8));

        assertThat(busy.judge(List.of(MINE)).held()).contains(true);
        assertThat(busier.judge(List.of(MINE)).held()).contains(false);
    }

    @Test
    void clientCpuIsPerOperationInMicroseconds() {
        var bar = Bar.absolute("client CPU", "millrace/warm", Figure.CPU_MICROS, atMost(0.4));

        assertThat(bar.judge(List.of(MINE)).value().getAsDouble()).isCloseTo(1_000, Offset.offset(1e-6));
    }

    @Test
    void aContendersOwnFigureIsComparedWithTheWallTimeOfTheOther() {
        var bar = Bar.own("own seconds", "millrace/warm", "seconds", "peer/warm", atMost(1));

        assertThat(bar.judge(List.of(PEER, MINE)).value()).hasValue(1.5 / 4);
    }

    @Test
    void theRateIsOperationsPerSecondOfWallTime() {
        var bar = Bar.absolute("per second", "millrace/warm", Figure.PER_SECOND, atLeast(500));

        assertThat(bar.judge(List.of(MINE)).value()).hasValue(500);
    }

    @Test
    void aContenderThatCountsItsOperationsIsMeasuredByThem() {
        var run = TestRuns.counting(4_000, 2);

        assertThat(run.medianOperations()).isEqualTo(4_000);
        assertThat(Figure.PER_SECOND.of(run).values()).containsExactly(2_000.0);
        assertThat(Figure.CPU_MICROS.of(run).values()).containsExactly(250.0);
    }

    @Test
    void theBestOfSeveralPeersIsTheOneWithTheHighestMedian() {
        var slower = TestRuns.of("slower", "warm", 1, 9, 9);
        var bar = Bar.toBest(
                "per second", "millrace/warm", List.of("slower/warm", "peer/warm"), Figure.PER_SECOND, atLeast(2));

        var verdict = bar.judge(List.of(slower, PEER, MINE));

        assertThat(verdict.against()).contains("peer/warm");
        assertThat(verdict.value()).hasValue(2.0);
        assertThat(verdict.perRound().values()).containsExactly(4.0, 4.0 / 3, 4.0);
        assertThat(verdict.held()).contains(true);
    }

    @Test
    void aBarAgainstSeveralPeersIsNotHeldWhileOneOfThemIsMissing() {
        var bar = Bar.toBest(
                "per second", "millrace/warm", List.of("peer/warm", "absent/warm"), Figure.PER_SECOND, atLeast(0.1));

        var verdict = bar.judge(List.of(PEER, MINE));

        assertThat(verdict.against()).isEmpty();
        assertThat(verdict.held()).contains(false);
    }

    @Test
    void whatWasNotMeasuredIsNotHeld() {
        var bar = Bar.ratio("wall", "millrace/warm", "absent/warm", Figure.WALL, atMost(1));

        var verdict = bar.judge(List.of(MINE));

        assertThat(verdict.value()).isEmpty();
        assertThat(verdict.held()).contains(false);
    }

    @Test
    void aRunWithWrongDataDoesNotCount() {
        var wrong = TestRuns.of(MINE.contender(), List.of("keys: expected=1000, found=999"), Optional.empty(), 1, 1);
        var bar = Bar.absolute("client CPU", "millrace/warm", Figure.CPU_MICROS, atMost(1e9));

        assertThat(bar.judge(List.of(wrong)).held()).contains(false);
    }

    @Test
    void aFigureWithoutABarIsNeitherHeldNorMissed() {
        var verdict = Bar.shown("wall", "millrace/warm", Figure.WALL).judge(List.of(MINE));

        assertThat(verdict.value()).hasValue(2.0);
        assertThat(verdict.held()).isEmpty();
    }
}
