// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import io.millrace.lab.statistics.Estimate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * The rows of one scenario over one distance, or those of one mode of the scenario.
 *
 * @param mode empty for all modes
 * @param rows in the order of the report, not empty
 */
record ComparedScenario(String experiment, String mode, List<Row> rows) {

    ComparedScenario(String experiment, List<Row> rows) {
        this(experiment, "", rows);
    }

    ComparedScenario {
        rows = List.copyOf(rows);
    }

    private JsonNode first() {
        return rows.getFirst().json();
    }

    String name() {
        return rows.getFirst().scenario();
    }

    double rttMillis() {
        return rows.getFirst().rttMillis();
    }

    /** Unique within the experiment; part of file names and of addresses in the page. */
    String id() {
        String distance = rttMillis() == 0 ? "" : "-" + Formats.number(rttMillis()) + "ms";
        return (experiment + "-" + name() + distance).replaceAll("[^A-Za-z0-9.-]+", "-");
    }

    String title() {
        String title =
                first().path("title").asString(name().equals(experiment) ? experiment : experiment + " " + name());
        boolean isSaid = rttMillis() == 0 || title.contains("round trip of"); // by the titles of older records
        String distance = isSaid ? "" : ", round trip of " + Formats.number(rttMillis()) + " ms";
        return title + distance + (mode.isEmpty() ? "" : ": " + mode);
    }

    /**
     * What is compared in this scenario: each mode that several libraries have, if the scenario compares by mode;
     * otherwise the whole scenario, in which each library takes part with the best of its modes.
     */
    List<ComparedScenario> comparisons() {
        if (!first().path("comparedByMode").asBoolean(false)) {
            return List.of(this);
        }
        Map<String, List<Row>> byMode = new LinkedHashMap<>();
        rows.forEach(row ->
                byMode.computeIfAbsent(row.mode(), name -> new ArrayList<>()).add(row));
        return byMode.entrySet().stream()
                .filter(entry -> entry.getValue().size() > 1)
                .map(entry -> new ComparedScenario(experiment, entry.getKey(), entry.getValue()))
                .toList();
    }

    /** Name of the scenario that does the same in another way; empty if there is none. */
    Optional<String> base() {
        return rows.getFirst().text("base");
    }

    /** Whether the contenders are compared by a figure. */
    boolean isCompared() {
        return !first().path("measure").isNull();
    }

    String measure() {
        return first().path("measure")
                .path("name")
                .asString(first().path("unit").asString("operations") + " per second");
    }

    boolean lessIsBetter() {
        return first().path("measure").path("lessIsBetter").asBoolean(false);
    }

    /** The row with the best median, without unfair and unverified rows. */
    Optional<Row> best() {
        return best(rows);
    }

    private Optional<Row> best(Collection<Row> among) {
        Comparator<Row> byMedian =
                Comparator.comparingDouble(row -> row.measured().median());
        return isCompared()
                ? among.stream().filter(Row::isCompared).max(lessIsBetter() ? byMedian.reversed() : byMedian)
                : Optional.empty();
    }

    /** The best row of each library that has one. */
    Map<String, Row> bestOfLibraries() {
        Map<String, List<Row>> byLibrary = new LinkedHashMap<>();
        rows.forEach(row -> byLibrary
                .computeIfAbsent(row.library(), name -> new ArrayList<>())
                .add(row));
        Map<String, Row> best = new LinkedHashMap<>();
        byLibrary.forEach((library, ofLibrary) -> best(ofLibrary).ifPresent(row -> best.put(library, row)));
        return best;
    }

    /** The best row among the libraries other than {@code library}. */
    Optional<Row> bestExcept(String library) {
        return best(rows.stream().filter(row -> !row.library().equals(library)).toList());
    }

    /** By which factor {@code row} is better than {@code other}; below 1 if {@code row} is worse. */
    Estimate lead(Row row, Row other) {
        return lessIsBetter()
                ? Estimate.ratio(other.measured(), row.measured(), Report.SEED)
                : Estimate.ratio(row.measured(), other.measured(), Report.SEED);
    }

    /** The measure of {@code row}, divided by the measure of the best row. */
    Estimate toBest(Row row, Row best) {
        return row.equals(best) ? new Estimate(1, 1, 1) : Estimate.ratio(row.measured(), best.measured(), Report.SEED);
    }
}
