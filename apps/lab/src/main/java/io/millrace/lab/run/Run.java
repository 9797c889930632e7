// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * All turns of one contender in one workload over one route.
 *
 * @param roundTrip what was added to a round trip; zero for nothing
 * @param operations that one round was asked for
 * @param samples in the order of the rounds, the warm-ups first
 * @param failure why there are fewer samples than rounds; empty if there are not
 */
public record Run(
        Workload workload,
        Contender contender,
        Duration roundTrip,
        long operations,
        List<Sample> samples,
        Optional<String> failure) {

    public Run {
        samples = List.copyOf(samples);
    }

    /**
     * How many operations there were in a round: the middle one of those that count, or else all that were asked for.
     */
    public long medianOperations() {
        var median = series(this::operations).median();
        return median.isPresent() ? Math.round(median.getAsDouble()) : operations;
    }

    /** How many operations there were in {@code sample}. */
    public long operations(Sample sample) {
        return sample.measured().operations(operations);
    }

    /** The samples that count: all but the warm-ups. */
    public List<Sample> counted() {
        return samples.stream().filter(sample -> sample.round() > 0).toList();
    }

    /** One figure of each sample that counts, in the order of the rounds. */
    public Series series(ToDoubleFunction<Sample> figure) {
        return new Series(counted().stream().mapToDouble(figure).boxed().toList());
    }

    /** What happened second by second in the last round; empty where that is not looked at. */
    public List<Second> seconds() {
        return samples.isEmpty() ? List.of() : samples.getLast().measured().seconds();
    }

    /** When what happened in the last round; empty where that is not looked at. */
    public Optional<Trace> trace() {
        return samples.isEmpty()
                ? Optional.empty()
                : samples.getLast().measured().trace();
    }

    /** What the last round has shown that figures do not say. */
    public Optional<String> remark() {
        return samples.isEmpty()
                ? Optional.empty()
                : samples.getLast().measured().remark();
    }

    /** Whether it came to its end and every round, the warm-up too, left the right data. */
    public boolean verified() {
        return failure.isEmpty()
                && !samples.isEmpty()
                && samples.stream().allMatch(sample -> sample.complaints().isEmpty());
    }
}
