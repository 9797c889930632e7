// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tune;

import io.millrace.lab.experiment.Figure;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Result;
import io.millrace.lab.statistics.Estimate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How the rate of one library depends on one setting.
 *
 * @param points from the smallest value to the largest
 * @param best the point with the highest median
 * @param knee the smallest value with 90 % of the best rate
 * @param recommended the smallest value with 97 % of the best rate, or without a difference to the best that is larger
 *     than the noise
 * @param isFlat whether no point differs from the best by more than the noise
 */
record Curve(
        Sweep sweep,
        Duration roundTrip,
        List<Measured> points,
        Measured best,
        Measured knee,
        Measured recommended,
        boolean isFlat) {

    static final double KNEE = 0.90;
    static final double RECOMMENDED = 0.97;

    /**
     * One point.
     *
     * @param rate commands per second
     * @param toBest the rate divided by the best rate
     */
    record Measured(TunePoint point, Result result, Estimate rate, Estimate toBest) {}

    /** The curves of all verified results of the experiment. A curve needs two points or more. */
    static List<Curve> of(List<Result> results, long seed) {
        Map<List<Object>, List<Result>> groups = new LinkedHashMap<>();
        for (Result result : results) {
            if (result.experiment().equals(TuneExperiment.NAME) && result.isVerified()) {
                groups.computeIfAbsent(
                                List.of(result.scenario().name(), result.roundTrip()), group -> new ArrayList<>())
                        .add(result);
            }
        }
        return groups.values().stream()
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
                .map(result -> new Measured(
                        point(result),
                        result,
                        Estimate.of(result, Figure.PER_SECOND, seed),
                        result.contender().equals(best.contender())
                                ? new Estimate(1, 1, 1)
                                : Estimate.ratio(result, best, Figure.PER_SECOND, seed)))
                .toList();
        return new Curve(
                point(best).sweep(),
                best.roundTrip(),
                points,
                points.stream()
                        .filter(point -> point.result().contender().equals(best.contender()))
                        .findFirst()
                        .orElseThrow(),
                first(points, KNEE),
                points.stream()
                        .filter(point -> point.toBest().median() >= RECOMMENDED
                                || !point.toBest().isDistinctFrom(1))
                        .findFirst()
                        .orElseThrow(),
                points.stream().noneMatch(point -> point.toBest().isDistinctFrom(1)));
    }

    private static Measured first(List<Measured> points, double share) {
        return points.stream()
                .filter(point -> point.toBest().median() >= share)
                .findFirst()
                .orElseThrow();
    }

    private static TunePoint point(Result result) {
        if (result.contender() instanceof JvmContender contender && contender.work() instanceof TunePoint point) {
            return point;
        }
        throw new IllegalArgumentException(
                "not a point of a sweep: contender=" + result.contender().label());
    }

    String library() {
        return best.point().library().name();
    }
}
