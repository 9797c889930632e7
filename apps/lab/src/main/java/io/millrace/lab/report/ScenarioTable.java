// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import io.millrace.lab.statistics.Estimate;
import io.millrace.lab.statistics.Values;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/**
 * The figures of a scenario as a table. A column without any value is left out.
 *
 * @param headings the first column has the contenders
 */
record ScenarioTable(List<String> headings, List<List<String>> rows) {

    static final List<String> SECONDS =
            List.of("second", "issued", "ok", "error", "timedOut", "refused", "lost", "pending", "serverCommands");

    private static final double MEBIBYTE = 1 << 20;

    static ScenarioTable of(ComparedScenario scenario) {
        Set<String> own = new LinkedHashSet<>();
        scenario.rows().forEach(row -> own.addAll(row.headings()));
        List<String> headings = new ArrayList<>(List.of("contender", scenario.measure(), "to the best"));
        headings.addAll(own);
        headings.addAll(List.of("client CPU µs/op", "server CPU µs/op", "GC ms", "heap MiB", "state"));
        List<List<String>> rows =
                scenario.rows().stream().map(row -> cells(scenario, row, own)).toList();
        return withoutEmptyColumns(headings, rows);
    }

    private static List<String> cells(ComparedScenario scenario, Row row, Set<String> own) {
        List<String> cells = new ArrayList<>();
        cells.add(row.label());
        cells.add(scenario.isCompared() ? estimate(row.measured()) : "");
        cells.add(ratioToBest(scenario, row));
        own.forEach(name -> cells.add(estimate(row.figure(name))));
        cells.add(median(row.cpuMicros(false)));
        cells.add(median(row.cpuMicros(true)));
        cells.add(number(row.median("collectionSeconds"), 1e3));
        cells.add(number(row.median("heapPeakBytes"), 1 / MEBIBYTE));
        cells.add(state(row));
        return cells;
    }

    /** The ratio to the best row, such as {@code 0.87}, or {@code ≈ 0.99} if no difference is proved. */
    static String ratioToBest(ComparedScenario scenario, Row row) {
        Optional<Row> best = scenario.best();
        if (best.isEmpty() || !row.isVerified() || row.measured().count() == 0) {
            return "";
        }
        Estimate ratio = scenario.toBest(row, best.get());
        return row.equals(best.get()) ? "1" : Formats.ratioToBest(ratio, Formats.ratio(ratio.median()));
    }

    private static String state(Row row) {
        if (!row.isVerified()) {
            return "FAILED";
        }
        if (row.isReference()) {
            return "reference";
        }
        return row.text("unfair").isPresent() ? "unfair" : "";
    }

    private static String estimate(Values values) {
        return values.count() == 0 ? "" : Formats.estimate(Estimate.of(values, Report.SEED));
    }

    private static String median(Values values) {
        return values.count() == 0 ? "" : Formats.number(values.median());
    }

    private static String number(OptionalDouble value, double factor) {
        return value.isPresent() ? Formats.number(value.getAsDouble() * factor) : "";
    }

    private static ScenarioTable withoutEmptyColumns(List<String> headings, List<List<String>> rows) {
        List<Integer> kept = new ArrayList<>();
        for (int i = 0; i < headings.size(); i++) {
            int column = i;
            if (rows.stream().anyMatch(row -> !row.get(column).isEmpty())) {
                kept.add(column);
            }
        }
        return new ScenarioTable(
                select(headings, kept),
                rows.stream().map(row -> select(row, kept)).toList());
    }

    private static List<String> select(List<String> cells, List<Integer> columns) {
        return columns.stream().map(cells::get).toList();
    }

    /** Sentences about the contenders: failures, unfair settings and remarks. */
    static List<String> notes(ComparedScenario scenario) {
        List<String> notes = new ArrayList<>();
        for (Row row : scenario.rows()) {
            row.text("failure").ifPresent(text -> notes.add(row.label() + " FAILED: " + text));
            row.text("unfair").ifPresent(text -> notes.add(row.label() + " is not compared: " + text));
            row.text("remark").ifPresent(text -> notes.add(row.label() + ": " + text));
        }
        return notes;
    }

    /** The settings of each contender, and the pages they follow. What a library has in common is said once. */
    static List<String> settings(List<ComparedScenario> scenarios) {
        Map<String, Set<String>> known = new HashMap<>();
        Map<String, List<String>> added = new LinkedHashMap<>();
        scenarios.stream().flatMap(scenario -> scenario.rows().stream()).forEach(row -> {
            Set<String> ofLibrary = known.computeIfAbsent(row.library(), name -> new HashSet<>());
            Stream.concat(
                            row.text("note").stream().flatMap(note -> Stream.of(note.split("; ", -1))),
                            row.text("documentation").map(page -> "[" + page + "]").stream())
                    .filter(ofLibrary::add)
                    .forEach(part -> added.computeIfAbsent(row.label(), label -> new ArrayList<>())
                            .add(part));
        });
        return added.entrySet().stream()
                .map(entry -> entry.getKey() + ": " + String.join("; ", entry.getValue()))
                .toList();
    }

    /** The events of each second of the last round; empty if the row has no seconds. */
    static List<List<String>> seconds(Row row) {
        return row.json()
                .path("seconds")
                .valueStream()
                .map(second -> SECONDS.stream().map(name -> count(second, name)).toList())
                .toList();
    }

    /** Older reports call issued commands iterations. */
    static String count(JsonNode second, String name) {
        JsonNode number = second.path(name.equals("issued") && !second.has(name) ? "iterations" : name);
        return number.isNumber() ? String.format(Locale.ROOT, "%,d", number.asLong()) : "–";
    }
}
