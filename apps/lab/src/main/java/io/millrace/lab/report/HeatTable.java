// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import io.millrace.lab.statistics.Estimate;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Scenarios and libraries: the best compared mode of each library, relative to the best of the scenario. */
record HeatTable(List<String> libraries, List<Line> lines) {

    private static final double[] STEPS = {0.2, 0.5, 0.8, 0.95};

    /** A scenario with a cell for each library. */
    record Line(ComparedScenario scenario, List<Optional<Cell>> cells) {

        String title() {
            return scenario.title() + (scenario.lessIsBetter() ? " (less is better)" : "");
        }

        /** The text of a cell without a figure: why {@code library} has none; empty if the library takes no part. */
        String absence(String library) {
            List<Row> rows = scenario.rows().stream()
                    .filter(row -> row.library().equals(library))
                    .toList();
            if (rows.isEmpty()) {
                return "";
            }
            return rows.stream().allMatch(Row::isVerified) ? "not compared" : "failed";
        }

        /** Sentences about the libraries that failed here. */
        List<String> failures() {
            return scenario.rows().stream()
                    .filter(row -> !row.isVerified())
                    .map(row -> "“" + title() + "”: " + row.label() + " failed: "
                            + row.text("failure").orElse("unknown reason").replaceFirst(", caused by.*", ""))
                    .toList();
        }
    }

    /** A library in a scenario. */
    record Cell(Row row, Estimate ratio, boolean isBest) {

        String text() {
            return isBest ? "1" : Formats.ratioToBest(ratio, Formats.ratio(ratio.median()));
        }

        /** 1 for the slowest to 5 for the best. */
        int level(boolean lessIsBetter) {
            double goodness = lessIsBetter ? 1 / ratio.median() : ratio.median();
            int level = 1;
            for (double step : STEPS) {
                level += goodness >= step ? 1 : 0;
            }
            return isBest ? STEPS.length + 1 : level;
        }
    }

    /** The scenarios that compare at least two libraries. */
    static HeatTable of(List<ComparedScenario> scenarios) {
        List<ComparedScenario> compared = scenarios.stream()
                .flatMap(scenario -> scenario.comparisons().stream())
                .filter(scenario -> scenario.bestOfLibraries().size() > 1)
                .toList();
        Set<String> libraries = new LinkedHashSet<>();
        compared.forEach(scenario -> libraries.addAll(scenario.bestOfLibraries().keySet()));
        List<Line> lines = new ArrayList<>();
        compared.forEach(scenario -> lines.add(line(scenario, libraries)));
        return new HeatTable(List.copyOf(libraries), lines);
    }

    private static Line line(ComparedScenario scenario, Set<String> libraries) {
        Map<String, Row> rows = scenario.bestOfLibraries();
        Row best = scenario.best().orElseThrow();
        return new Line(
                scenario,
                libraries.stream()
                        .map(library -> Optional.ofNullable(rows.get(library)).map(row -> cell(scenario, row, best)))
                        .toList());
    }

    private static Cell cell(ComparedScenario scenario, Row row, Row best) {
        Estimate ratio = scenario.toBest(row, best);
        return new Cell(row, ratio, row.equals(best));
    }

    boolean isEmpty() {
        return lines.isEmpty();
    }
}
