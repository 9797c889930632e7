// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import io.millrace.lab.Workloads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/** Runs with figures that tests choose. */
public final class TestRuns {

    /** A contender that exists on paper only. */
    public record PaperContender(String name, String variant, Optional<String> unfair) implements ProcessContender {

        @Override
        public String note() {
            return "on paper";
        }

        @Override
        public Invocation invocation(Task task) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Account account(Task task, Ended ended) {
            throw new UnsupportedOperationException();
        }
    }

    /** A verified run of a thousand operations with these wall times, after a warm-up of 99 s; half of each is CPU. */
    public static Run of(String name, String variant, double... walls) {
        return of(new PaperContender(name, variant, Optional.empty()), List.of(), Optional.empty(), walls);
    }

    public static Run of(Contender contender, List<String> complaints, Optional<String> failure, double... walls) {
        var samples = new ArrayList<Sample>();
        samples.add(sample(0, 99, List.of()));
        for (double wall : walls) {
            samples.add(sample(samples.size(), wall, complaints));
        }
        return new Run(Workloads.named("set"), contender, Duration.ZERO, 1_000, samples, failure);
    }

    /**
     * A run of one round with this wall time, half of it CPU, in which there were {@code operations} by its own
     * account.
     */
    public static Run counting(long operations, double wall) {
        var measured = Measured.of(
                wall, wall / 2, OptionalDouble.empty(), Optional.empty(), Map.of(Measured.OPERATIONS, (double)
                        operations));
        var sample = new Sample(1, measured, OptionalDouble.of(wall), Outcomes.answered(operations, 0), List.of());
        var contender = new PaperContender("counting", "process", Optional.empty());
        return new Run(Workloads.named("memory"), contender, Duration.ZERO, 1_000, List.of(sample), Optional.empty());
    }

    private static Sample sample(int round, double wall, List<String> complaints) {
        var measured = Measured.of(
                wall, wall / 2, OptionalDouble.of(wall / 8), Optional.empty(), Map.of("seconds", wall - 0.5));
        return new Sample(round, measured, OptionalDouble.of(wall * 0.75), new Outcomes(1_000, 0, 0, 0, 0), complaints);
    }

    private TestRuns() {}
}
