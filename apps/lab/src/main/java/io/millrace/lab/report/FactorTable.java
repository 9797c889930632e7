// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import io.millrace.lab.statistics.Estimate;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * How much another pattern changes the figure of each library: the best mode of the library in a scenario, divided by the
 * best mode of the same library in the {@linkplain ComparedScenario#base base} of the scenario.
 *
 * @param headings an empty cell and the libraries
 * @param rows a row for each scenario that has a base: the title and a ratio for each library
 */
record FactorTable(List<String> headings, List<List<String>> rows) {

    static final String CAPTION = "The figure of each library in the first scenario of a line,"
            + " divided by the figure of the same library in the second scenario, with the 95 % interval.";

    static FactorTable of(List<ComparedScenario> scenarios) {
        Set<String> libraries = new LinkedHashSet<>();
        List<ComparedScenario> compared = scenarios.stream()
                .filter(scenario -> base(scenario, scenarios).isPresent())
                .toList();
        compared.forEach(scenario -> libraries.addAll(scenario.bestOfLibraries().keySet()));
        List<String> headings = new ArrayList<>(List.of(""));
        headings.addAll(libraries);
        return new FactorTable(
                headings,
                compared.stream()
                        .map(scenario -> row(scenario, base(scenario, scenarios).orElseThrow(), libraries))
                        .toList());
    }

    private static Optional<ComparedScenario> base(ComparedScenario scenario, List<ComparedScenario> scenarios) {
        return scenario.base()
                .flatMap(name -> scenarios.stream()
                        .filter(other -> other.name().equals(name) && other.rttMillis() == scenario.rttMillis())
                        .findFirst());
    }

    private static List<String> row(ComparedScenario scenario, ComparedScenario base, Set<String> libraries) {
        List<String> cells = new ArrayList<>(List.of(scenario.title() + " / " + base.title()));
        for (String library : libraries) {
            Optional<Row> above = Optional.ofNullable(scenario.bestOfLibraries().get(library));
            Optional<Row> below = Optional.ofNullable(base.bestOfLibraries().get(library));
            cells.add(
                    above.isPresent() && below.isPresent()
                            ? Formats.ratio(Estimate.ratio(
                                    above.get().measured(), below.get().measured(), Report.SEED))
                            : "");
        }
        return cells;
    }

    boolean isEmpty() {
        return rows.isEmpty();
    }
}
