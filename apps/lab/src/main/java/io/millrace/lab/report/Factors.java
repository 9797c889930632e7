// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import io.millrace.lab.run.Figure;
import io.millrace.lab.run.Run;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/** How many times as fast as the first variant a run is. */
final class Factors {

    /**
     * The rate of {@code run} divided by that of the first run of the same experiment and round trip: of the same
     * contender if it has one, or else of whoever comes first. Empty unless both are verified.
     */
    static OptionalDouble of(Run run, List<Run> all) {
        if (!run.workload().hasFactors()) {
            return OptionalDouble.empty();
        }
        var family = all.stream()
                .filter(other -> other.workload().name().equals(run.workload().name())
                        && other.roundTrip().equals(run.roundTrip()))
                .toList();
        return first(family, run)
                .filter(base -> base.verified() && run.verified())
                .map(base -> rate(run) / rate(base))
                .map(OptionalDouble::of)
                .orElse(OptionalDouble.empty());
    }

    private static Optional<Run> first(List<Run> family, Run run) {
        return family.stream()
                .findFirst()
                .flatMap(first -> family.stream()
                        .filter(other -> variant(other).equals(variant(first))
                                && other.contender()
                                        .name()
                                        .equals(run.contender().name()))
                        .findFirst()
                        .or(() -> Optional.of(first)));
    }

    private static String variant(Run run) {
        return run.workload().variant(run.contender());
    }

    private static double rate(Run run) {
        return Figure.PER_SECOND.of(run).median().orElse(Double.NaN);
    }

    private Factors() {}
}
