// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.IntStream;

/** One figure over the rounds. */
public record Series(List<Double> values) {

    public Series {
        values = List.copyOf(values);
    }

    /** The middle value, or the mean of the two middle ones; empty without values. */
    public OptionalDouble median() {
        var sorted = values.stream().sorted().toList();
        int size = sorted.size();
        if (size == 0) {
            return OptionalDouble.empty();
        }
        return OptionalDouble.of((sorted.get((size - 1) / 2) + sorted.get(size / 2)) / 2);
    }

    public OptionalDouble min() {
        return values.stream().mapToDouble(Double::doubleValue).min();
    }

    public OptionalDouble max() {
        return values.stream().mapToDouble(Double::doubleValue).max();
    }

    /** Round by round this divided by {@code other}, as far as both go. */
    public Series dividedBy(Series other) {
        int rounds = Math.min(values.size(), other.values.size());
        return new Series(IntStream.range(0, rounds)
                .mapToObj(i -> values.get(i) / other.values.get(i))
                .toList());
    }
}
