// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tune;

import io.millrace.lab.experiment.Figure;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Result;
import io.millrace.lab.statistics.Estimate;
import io.millrace.lab.statistics.Values;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * How the rate of one library depends on one setting.
 *
 * @param points from the smallest value to the largest
 * @param best the point with the highest median
 * @param noise how much two processes with the same value usually differ, as a part of the rate: the median over the values
 */
record Curve(List<Measured> points, Measured best, double noise) {

    /** The smallest value with this part of the best rate is the knee. */
    private static final double KNEE = 0.90;

    /** The least noise: two processes of the same program may differ by so much. */
    private static final double MIN_NOISE = 0.05;

    /**
     * One value.
     *
     * @param rate commands per second
     * @param toBest the rate divided by the best rate
     */
    record Measured(TunePoint point, Result result, Estimate rate, Estimate toBest) {

        static Measured of(Result result, Result best, long seed) {
            return new Measured(
                    Curve.point(result),
                    result,
                    Estimate.of(result, Figure.PER_SECOND, seed),
                    result.equals(best)
                            ? new Estimate(1, 1, 1)
                            : Estimate.ratio(result, best, Figure.PER_SECOND, seed));
        }

        /** The largest difference between two processes, divided by the median; zero for one process. */
        private double spread() {
            Values values = Values.of(result, Figure.PER_SECOND);
            var medians = values.forks().stream()
                    .mapToDouble(fork -> Values.ofOneFork(fork).median())
                    .summaryStatistics();
            return medians.getCount() < 2 ? 0 : (medians.getMax() - medians.getMin()) / values.median();
        }
    }

    /** The curves of all verified results of the experiment. A curve needs two points or more. */
    static List<Curve> of(List<Result> results, long seed) {
        return results.stream()
                .filter(result -> result.experiment().equals(TuneExperiment.NAME) && result.isVerified())
                .collect(Collectors.groupingBy(
                        result -> List.of(result.scenario().name(), result.roundTrip()),
                        LinkedHashMap::new,
                        Collectors.toList()))
                .values()
                .stream()
                .filter(group -> group.size() > 1)
                .map(group -> curve(group, seed))
                .toList();
    }

    private static Curve curve(List<Result> group, long seed) {
        Result best = group.stream()
                .max(Comparator.comparingDouble(
                        result -> Estimate.of(result, Figure.PER_SECOND, seed).median()))
                .orElseThrow();
        List<Measured> points = group.stream()
                .sorted(Comparator.comparingInt(result -> point(result).value()))
                .map(result -> Measured.of(result, best, seed))
                .toList();
        double[] spreads =
                points.stream().mapToDouble(Measured::spread).sorted().toArray();
        double noise = spreads[spreads.length / 2];
        return new Curve(points, Measured.of(best, best, seed), Math.max(MIN_NOISE, noise));
    }

    /** Whether the best value is faster by more than the noise. */
    private boolean isSlower(Measured point) {
        return point.toBest.isDistinctFrom(1) && point.toBest.median() < 1 - noise;
    }

    private static TunePoint point(Result result) {
        if (result.contender() instanceof JvmContender contender && contender.work() instanceof TunePoint point) {
            return point;
        }
        throw new IllegalArgumentException(
                "not a point of a sweep: contender=" + result.contender().label());
    }

    /** The smallest value with 90 % of the best rate. */
    Measured knee() {
        return first(point -> point.toBest.median() >= KNEE);
    }

    /** The smallest value from the knee on that is not slower than the best value by more than the noise. */
    Measured recommended() {
        return first(point -> point.toBest.median() >= KNEE && !isSlower(point));
    }

    private Measured first(Predicate<Measured> condition) {
        return points.stream().filter(condition).findFirst().orElseThrow();
    }

    /** Whether no value is slower than the best value by more than the noise. */
    boolean isFlat() {
        return points.stream().noneMatch(this::isSlower);
    }

    Sweep sweep() {
        return best.point.sweep();
    }

    Duration roundTrip() {
        return best.result.roundTrip();
    }

    String library() {
        return best.point.library().name();
    }
}
