// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.statistics;

import io.millrace.lab.experiment.Figure;
import io.millrace.lab.experiment.Result;
import io.millrace.lab.experiment.Sample;
import java.util.Arrays;
import java.util.OptionalDouble;
import java.util.SplittableRandom;
import java.util.function.ToDoubleFunction;

/**
 * A median with its 95 % interval, or a ratio of two medians with its interval, or a median of ratios.
 *
 * <p>DESIGN. The interval comes from a bootstrap. Each of 1,000 resamples draws processes with replacement, and then
 * rounds of each drawn process with replacement. The bounds are the percentiles 2.5 and 97.5 of the medians of the
 * resamples. Rounds of one process are more alike than rounds of two processes, because the JIT compiler makes its
 * decisions once for each process. If the bootstrap ignored the processes, the interval would be too narrow.
 *
 * @param median not a number if there are no values
 * @param low lower bound, at most {@code median}
 * @param high upper bound, at least {@code median}
 * @param count number of values; of a ratio, the smaller number of its two sides
 */
public record Estimate(double median, double low, double high, int count) {

    /**
     * Fewer values than this prove no difference. Three values of one contender are all above three values of another by
     * chance in one of ten cases, four values in one of 35 cases.
     */
    public static final int MIN_COUNT = 4;

    private static final int RESAMPLES = 1_000;

    public Estimate(double median, double low, double high) {
        this(median, low, high, MIN_COUNT);
    }

    /** The median of {@code figure} over the counted rounds of {@code result}. */
    public static Estimate of(Result result, Figure figure, long seed) {
        return of(Values.of(result, figure), seed);
    }

    public static Estimate of(Values values, long seed) {
        return bootstrap(values.median(), values.count(), values::resampledMedian, seed);
    }

    /** The median of {@code a}, divided by the median of {@code b}. */
    public static Estimate ratio(Result a, Result b, Figure figure, long seed) {
        return ratio(Values.of(a, figure), Values.of(b, figure), seed);
    }

    public static Estimate ratio(Values a, Values b, long seed) {
        return bootstrap(
                a.median() / b.median(),
                Math.min(a.count(), b.count()),
                random -> a.resampledMedian(random) / b.resampledMedian(random),
                seed);
    }

    /**
     * The median of the ratios of paired rounds. A pair is a round of {@code a} and the round of {@code b} with the same
     * number in the process with the same number. The two ran one after the other, so a change of the machine affects both.
     */
    public static Estimate paired(Result a, Result b, Figure figure, long seed) {
        var ratios = new Values.Collector();
        for (Sample sample : a.counted()) {
            b.counted().stream()
                    .filter(other -> other.fork() == sample.fork() && other.round() == sample.round())
                    .forEach(other -> ratios.add(sample.fork(), ratio(figure.of(sample), figure.of(other))));
        }
        return of(ratios.values(), seed);
    }

    private static OptionalDouble ratio(OptionalDouble a, OptionalDouble b) {
        return a.isPresent() && b.isPresent()
                ? OptionalDouble.of(a.getAsDouble() / b.getAsDouble())
                : OptionalDouble.empty();
    }

    private static Estimate bootstrap(
            double median, int count, ToDoubleFunction<SplittableRandom> resample, long seed) {
        if (count == 0) {
            return new Estimate(Double.NaN, Double.NaN, Double.NaN, 0);
        }
        var random = new SplittableRandom(seed);
        double[] medians = new double[RESAMPLES];
        Arrays.setAll(medians, index -> resample.applyAsDouble(random));
        Arrays.sort(medians);
        double low = medians[RESAMPLES / 40];
        double high = medians[RESAMPLES - 1 - RESAMPLES / 40];
        return new Estimate(median, Math.min(low, median), Math.max(high, median), count);
    }

    /** Whether there is a value. */
    public boolean isKnown() {
        return Double.isFinite(median);
    }

    /** Whether there are enough values for a statement about a difference. */
    public boolean hasEnoughValues() {
        return count >= MIN_COUNT;
    }

    /** Whether there are enough values, and the interval does not contain {@code value}. */
    public boolean isDistinctFrom(double value) {
        return hasEnoughValues() && isKnown() && (value < low || value > high);
    }

    /** The estimate of {@code 1 / value}. */
    public Estimate inverse() {
        return new Estimate(1 / median, 1 / high, 1 / low, count);
    }

    public Estimate dividedBy(double divisor) {
        return new Estimate(median / divisor, low / divisor, high / divisor, count);
    }
}
