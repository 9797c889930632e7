// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import io.millrace.lab.report.LineChart.Line;
import io.millrace.lab.report.LineChart.Point;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import tools.jackson.databind.JsonNode;

/** The charts that a scenario or an experiment needs. */
final class Charts {

    /** A chart with a longer legend is shown on demand. */
    private static final int MAX_OPEN_LINES = 8;

    private static final Pattern SECONDS_OF_STEP = Pattern.compile("seconds at (\\d+)");
    private static final Pattern P99 = Pattern.compile("p99(?![.\\d]).*");

    /** Scenarios that differ by nothing but the rate: other values, connections or calls are no points of the same line. */
    private static final Pattern STEP_OF_A_SWEEP = Pattern.compile("(rate|load)-\\d+");

    /**
     * A chart that can be drawn in any width.
     *
     * @param isDistribution whether the page shows the chart only on demand
     */
    record Chart(String title, boolean isDistribution, IntFunction<Svg> draw) {}

    /** The charts of one scenario, in the order of the page. */
    static List<Chart> of(ComparedScenario scenario) {
        List<Chart> charts = new ArrayList<>();
        if (scenario.best().isPresent() && scenario.rows().size() > 1) {
            charts.add(new Chart(
                    scenario.title(),
                    false,
                    width -> DotChart.of(scenario, scenario.rows()).draw(width)));
        }
        for (Row row : scenario.rows()) {
            if (row.json().path("seconds").size() > 1) {
                charts.add(new Chart(row.label() + ", second by second", false, width -> seconds(row, width)));
            }
        }
        if (scenario.rows().stream().anyMatch(row -> row.json().has("trace"))) {
            charts.add(new Chart("Rhythm of " + scenario.title(), false, RhythmChart.of(scenario)::draw));
        }
        growth(scenario, "threads", "threads").ifPresent(charts::add);
        growth(scenario, "rssMegabytes", "resident memory, MB").ifPresent(charts::add);
        if (scenario.isCompared()
                && scenario.rows().stream()
                        .anyMatch(row -> hasDistribution(row) && row.measured().count() > 2)) {
            charts.add(new Chart("Distribution of the rounds", true, distribution(scenario)::draw));
        }
        return charts;
    }

    private static Svg seconds(Row row, int width) {
        JsonNode seconds = row.json().path("seconds");
        var rates = new LineChart(
                "seconds",
                "commands per second",
                false,
                List.of(
                        line("issued", "s-issued", seconds, "issued", "iterations"),
                        line("ok", "s-ok", seconds, "ok"),
                        line("processed by the server", "s-server", seconds, "serverCommands"),
                        line("failed", "s-failed", seconds, "error", "timedOut", "refused", "lost")));
        var pending = new LineChart(
                "seconds",
                "pending commands at the end of the second",
                false,
                List.of(line("pending", "s-pending", seconds, "pending")));
        return rates.draw(width).append(pending.draw(width));
    }

    /** The sum of {@code fields} in each second that has one of them. */
    private static Line line(String name, String style, JsonNode seconds, String... fields) {
        List<Point> points = new ArrayList<>();
        for (JsonNode second : seconds) {
            List<String> known = List.of(fields).stream()
                    .filter(field -> second.path(field).isNumber())
                    .toList();
            if (!known.isEmpty()) {
                double sum = known.stream()
                        .mapToDouble(field -> second.path(field).asDouble(0))
                        .sum();
                points.add(new Point(second.path("second").asDouble(0), sum));
            }
        }
        return new Line(name, style, 0, false, points);
    }

    /**
     * A figure over time, from a contender whose last round has figures such as {@code threads at 100} and {@code seconds
     * at 100}. Empty if there is no such contender.
     */
    private static Optional<Chart> growth(ComparedScenario scenario, String figure, String label) {
        Map<String, Integer> modes = new LinkedHashMap<>();
        List<Line> lines = new ArrayList<>();
        for (Row row : scenario.rows()) {
            List<Point> points = new ArrayList<>();
            row.lastFigures().forEach((name, seconds) -> {
                Matcher step = SECONDS_OF_STEP.matcher(name);
                Double value = step.matches() ? row.lastFigures().get(figure + " at " + step.group(1)) : null;
                if (value != null) {
                    points.add(new Point(seconds, value));
                }
            });
            if (points.size() > 1 && row.isVerified()) {
                points.sort(Comparator.comparingDouble(Point::x));
                int dashes = modes.merge(row.library(), 1, Integer::sum) - 1;
                lines.add(new Line(row.label(), Palette.styleOf(row.library()), dashes, false, points));
            }
        }
        return lines.isEmpty()
                ? Optional.empty()
                : Optional.of(new Chart(
                        "Growth: " + label,
                        false,
                        new LineChart("seconds since the start", label, false, lines)::draw));
    }

    /** Whether the rounds can be divided by their median. */
    private static boolean hasDistribution(Row row) {
        return row.isVerified() && row.measured().median() > 0;
    }

    private static LineChart distribution(ComparedScenario scenario) {
        Map<String, Integer> modes = new LinkedHashMap<>();
        List<Line> lines = new ArrayList<>();
        for (Row row : scenario.rows()) {
            List<Double> values = row.measured().sorted();
            if (hasDistribution(row)) {
                double median = row.measured().median();
                List<Point> points = new ArrayList<>(List.of(new Point(values.getFirst() / median, 0)));
                IntStream.range(0, values.size())
                        .forEach(index ->
                                points.add(new Point(values.get(index) / median, (index + 1.0) / values.size())));
                int dashes = modes.merge(row.library(), 1, Integer::sum) - 1;
                lines.add(new Line(row.label(), Palette.styleOf(row.library()), dashes, true, points));
            }
        }
        return new LineChart(
                scenario.measure() + ", divided by the contender's median",
                "part of the rounds up to this value",
                false,
                lines);
    }

    /** Throughput against the 99th percentile of the latency, for scenarios with different rates; empty without such. */
    static Optional<Chart> latency(List<ComparedScenario> scenarios) {
        List<Line> lines = latencyLines(scenarios);
        boolean isSweep = lines.stream().anyMatch(line -> line.points().size() > 1);
        String label = latencyFigure(sweep(scenarios)) + ", logarithmic axis";
        return isSweep
                ? Optional.of(new Chart(
                        "Throughput against latency",
                        lines.size() > MAX_OPEN_LINES,
                        new LineChart("operations per second", label, true, lines)::draw))
                : Optional.empty();
    }

    private static List<ComparedScenario> sweep(List<ComparedScenario> scenarios) {
        return scenarios.stream()
                .filter(scenario -> STEP_OF_A_SWEEP.matcher(scenario.name()).matches())
                .toList();
    }

    private static String latencyFigure(List<ComparedScenario> sweep) {
        return sweep.stream()
                .flatMap(scenario -> scenario.rows().stream())
                .flatMap(row -> row.headings().stream())
                .filter(name -> P99.matcher(name).matches())
                .findFirst()
                .orElse("");
    }

    /** One line for each mode of a library, with a point for each step of the sweep. */
    static List<Line> latencyLines(List<ComparedScenario> scenarios) {
        List<ComparedScenario> sweep = sweep(scenarios);
        String figure = latencyFigure(sweep);
        Map<String, List<Point>> byLabel = new LinkedHashMap<>();
        Map<String, String> libraries = new LinkedHashMap<>();
        for (ComparedScenario scenario : sweep) {
            for (Row row : scenario.rows()) {
                double latency = row.figure(figure).median();
                double rate = row.json().path("operationsPerSecond").asDouble(Double.NaN);
                if (latency > 0 && rate > 0 && row.isVerified()) {
                    byLabel.computeIfAbsent(row.label(), label -> new ArrayList<>())
                            .add(new Point(rate, latency));
                    libraries.put(row.label(), row.library());
                }
            }
        }
        List<Line> lines = new ArrayList<>();
        Map<String, Integer> modes = new LinkedHashMap<>();
        byLabel.forEach((label, points) -> {
            points.sort(Comparator.comparingDouble(Point::x));
            String library = libraries.getOrDefault(label, label);
            int dashes = modes.merge(library, 1, Integer::sum) - 1;
            lines.add(new Line(label, Palette.styleOf(library), dashes, false, points));
        });
        return lines;
    }

    private Charts() {}
}
