// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.statistics;

import io.millrace.lab.experiment.Figure;
import io.millrace.lab.experiment.Result;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * The values of one figure: a list for each process, with a value for each counted round.
 *
 * @param forks without empty lists
 */
public record Values(List<List<Double>> forks) {

    public static final Values NONE = new Values(List.of());

    public Values {
        forks = forks.stream().filter(fork -> !fork.isEmpty()).map(List::copyOf).toList();
    }

    /** The values of {@code figure} in the counted rounds of {@code result}. */
    public static Values of(Result result, Figure figure) {
        var collector = new Collector();
        result.counted().forEach(sample -> collector.add(sample.fork(), figure.of(sample)));
        return collector.values();
    }

    /** Values of one process. */
    public static Values ofOneFork(List<Double> values) {
        return new Values(List.of(values));
    }

    /** All values, in ascending order. */
    public List<Double> sorted() {
        return forks.stream().flatMap(List::stream).sorted().toList();
    }

    public int count() {
        return forks.stream().mapToInt(List::size).sum();
    }

    /** The median, or not a number if there are no values. */
    public double median() {
        return median(
                forks.stream().flatMap(List::stream).mapToDouble(value -> value).toArray());
    }

    /** The median of a random selection: processes with replacement, then rounds of each process with replacement. */
    double resampledMedian(SplittableRandom random) {
        double[] drawn = new double[maxResampled()];
        int size = 0;
        for (int i = 0; i < forks.size(); i++) {
            List<Double> fork = forks.get(random.nextInt(forks.size()));
            for (int j = 0; j < fork.size(); j++) {
                drawn[size++] = fork.get(random.nextInt(fork.size()));
            }
        }
        return median(Arrays.copyOf(drawn, size));
    }

    private int maxResampled() {
        return forks.size() * forks.stream().mapToInt(List::size).max().orElse(0);
    }

    private static double median(double[] values) {
        if (values.length == 0) {
            return Double.NaN;
        }
        Arrays.sort(values);
        int middle = values.length / 2;
        return values.length % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
    }

    /** Collects values by process. */
    public static final class Collector {

        private final Map<Integer, List<Double>> byFork = new TreeMap<>();

        /** Adds a value of the process {@code fork}, if there is a value and the value is finite. */
        public void add(int fork, OptionalDouble value) {
            if (value.isPresent() && Double.isFinite(value.getAsDouble())) {
                byFork.computeIfAbsent(fork, number -> new ArrayList<>()).add(value.getAsDouble());
            }
        }

        public Values values() {
            return new Values(List.copyOf(byFork.values()));
        }
    }
}
