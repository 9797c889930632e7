// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.report.Curve.Point;
import io.millrace.lab.run.Series;
import java.util.List;
import java.util.Random;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What is read off a curve. */
class TunerTest {

    /** Values 1, 2, 4, …, each with one round of this rate. */
    private static List<Point> curve(double... rates) {
        return IntStream.range(0, rates.length)
                .mapToObj(i -> new Point(1L << i, new Series(List.of(rates[i])), 1, 0.5))
                .toList();
    }

    @Test
    void aSinglePeakIsTheBestAndWhatComesNearItFromBelowIsTheLowest() {
        var points = curve(10, 50, 89, 96, 100, 40);

        assertThat(Tuner.best(points)).isEqualTo(16);
        assertThat(Tuner.lowest(points, Tuner.KNEE)).isEqualTo(8);
        assertThat(Tuner.lowest(points, Tuner.RECOMMENDED)).isEqualTo(16);
        assertThat(Tuner.lowest(points, Tuner.CONFIRMED)).isEqualTo(8);
    }

    @Test
    void onAFlatCurveTheLowestValueIsRecommended() {
        var points = curve(100, 100, 100, 100);

        assertThat(Tuner.lowest(points, Tuner.RECOMMENDED)).isEqualTo(1);
        assertThat(Tuner.lowest(points, Tuner.KNEE)).isEqualTo(1);
    }

    @Test
    void aCurveThatOnlyRisesHasItsBestAtTheEnd() {
        var points = curve(1, 2, 4, 8);

        assertThat(Tuner.best(points)).isEqualTo(8);
        assertThat(Tuner.lowest(points, Tuner.RECOMMENDED)).isEqualTo(8);
    }

    @Test
    void theMedianOfTheRoundsIsWhatCounts() {
        var outlier = new Point(1, new Series(List.of(10.0, 10.0, 1_000.0)), 1, 0.5);
        var steady = new Point(2, new Series(List.of(20.0, 20.0, 20.0)), 1, 0.5);

        assertThat(Tuner.best(List.of(outlier, steady))).isEqualTo(2);
    }

    @Test
    void noiseNeverLeadsBelowWhatWasAskedFor() {
        long seed = System.nanoTime();
        var random = new Random(seed);

        LongStream.range(0, 1_000).forEach(i -> {
            var points = curve(DoubleStream.generate(() -> 100 + 10 * random.nextGaussian())
                    .limit(7)
                    .toArray());
            double most = rate(points, Tuner.best(points));
            long knee = Tuner.lowest(points, Tuner.KNEE);
            long recommended = Tuner.lowest(points, Tuner.RECOMMENDED);

            assertThat(points)
                    .as("seed " + seed)
                    .allMatch(point -> rate(points, point.value()) <= most)
                    .noneMatch(point ->
                            point.value() < recommended && rate(points, point.value()) >= Tuner.RECOMMENDED * most);
            assertThat(rate(points, recommended)).as("seed " + seed).isGreaterThanOrEqualTo(0.97 * most);
            assertThat(rate(points, knee)).as("seed " + seed).isGreaterThanOrEqualTo(0.90 * most);
            assertThat(knee).as("seed " + seed).isLessThanOrEqualTo(recommended);
        });
    }

    private static double rate(List<Point> points, long value) {
        return points.stream()
                .filter(point -> point.value() == value)
                .findFirst()
                .orElseThrow()
                .perSecond()
                .median()
                .orElseThrow();
    }
}
