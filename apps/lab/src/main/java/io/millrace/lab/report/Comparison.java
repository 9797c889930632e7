// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import io.millrace.lab.report.DotChart.Dot;
import io.millrace.lab.statistics.Estimate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Two reports side by side: how much better or worse each row of the second report is, with the interval.
 *
 * <p>Rows belong together if experiment, variant, contender and distance are equal.
 */
public final class Comparison {

    private static final List<String> HEADINGS =
            List.of("row", "measure", "first", "second", "second, compared with first");

    private final ReadReport before;
    private final ReadReport after;
    private final List<Pair> pairs = new ArrayList<>();
    private final List<String> unpaired = new ArrayList<>();

    /**
     * A row of both reports.
     *
     * @param lead the factor by which the second report is better, below 1 if the second is worse
     */
    private record Pair(ComparedScenario scenario, Row before, Row after, Estimate lead) {

        List<String> cells() {
            return List.of(
                    scenario.experiment() + " " + scenario.name() + ", " + after.label(),
                    scenario.measure(),
                    Formats.estimate(Estimate.of(before.measured(), Report.SEED)),
                    Formats.estimate(Estimate.of(after.measured(), Report.SEED)),
                    Formats.comparison(lead, "better", "worse"));
        }
    }

    private Comparison(ReadReport before, ReadReport after) {
        this.before = before;
        this.after = after;
    }

    /**
     * Compares the JSON of two reports.
     *
     * @throws io.millrace.lab.server.LabException if a text is not a report
     */
    public static Comparison of(String before, String after) {
        var comparison = new Comparison(ReadReport.parse(before), ReadReport.parse(after));
        comparison.match();
        return comparison;
    }

    private void match() {
        Map<String, Row> rows = new LinkedHashMap<>();
        before.rows().forEach(row -> rows.put(row.key(), row));
        for (ComparedScenario scenario : after.scenarios()) {
            for (Row row : scenario.rows()) {
                Optional<Row> earlier = Optional.ofNullable(rows.remove(row.key()));
                boolean isPaired = earlier.isPresent() && isUsable(scenario, row, earlier.get());
                if (isPaired) {
                    pairs.add(new Pair(scenario, earlier.get(), row, scenario.lead(row, earlier.get())));
                } else {
                    unpaired.add((earlier.isPresent() ? "not comparable: " : "only in the second: ") + row.key());
                }
            }
        }
        rows.keySet().forEach(key -> unpaired.add("only in the first: " + key));
    }

    private static boolean isUsable(ComparedScenario scenario, Row row, Row earlier) {
        return scenario.isCompared()
                && row.isVerified()
                && earlier.isVerified()
                && row.measured().count() > 0
                && earlier.measured().count() > 0;
    }

    /** How many rows are better, worse, and without a proved difference. */
    private String summary() {
        long better = pairs.stream()
                .filter(pair -> pair.lead().isDistinctFrom(1) && pair.lead().median() > 1)
                .count();
        long worse = pairs.stream()
                .filter(pair -> pair.lead().isDistinctFrom(1) && pair.lead().median() < 1)
                .count();
        return pairs.size() + " rows are in both reports: the second is better in " + better + ", worse in " + worse
                + ". No difference is proved in " + (pairs.size() - better - worse) + ".";
    }

    /** Differences of the environments. Ratios of two machines are no property of the programs. */
    private List<String> differences() {
        List<String> differences = new ArrayList<>();
        for (String field : List.of("commit", "cpu", "cores", "java", "server", "loadAverage")) {
            String first = before.environment().path(field).asString("unknown");
            String second = after.environment().path(field).asString("unknown");
            if (!first.equals(second)) {
                differences.add(field + ": " + first + " and " + second);
            }
        }
        return differences;
    }

    /** The comparison as text for a terminal. */
    public String text() {
        var text = new StringBuilder(summary()).append('\n');
        differences().forEach(line -> text.append("* ").append(line).append('\n'));
        text.append('\n')
                .append(new TextTable(HEADINGS, pairs.stream().map(Pair::cells).toList()));
        if (!unpaired.isEmpty()) {
            text.append("\nRows without a partner\n");
            unpaired.forEach(line -> text.append("* ").append(line).append('\n'));
        }
        return text.toString();
    }

    /** The comparison as a page. */
    public String html() {
        var html = new Html()
                .element("h1", "", "Comparison of two records")
                .element("p", "", summary())
                .list("ul", differences());
        Map<String, List<Pair>> byExperiment = new LinkedHashMap<>();
        pairs.forEach(pair -> byExperiment
                .computeIfAbsent(pair.scenario().experiment(), name -> new ArrayList<>())
                .add(pair));
        byExperiment.forEach((name, ofExperiment) -> {
            String title = after.experiment(name).orElseThrow().title();
            html.heading(2, name, title, name)
                    .open("div", "charts")
                    .chart(
                            new Charts.Chart(title + ", second divided by first", false, chart(ofExperiment)::draw),
                            true)
                    .close("div")
                    .table(HEADINGS, ofExperiment.stream().map(Pair::cells).toList());
        });
        if (!unpaired.isEmpty()) {
            html.heading(2, "unpaired", "Rows without a partner", "Rows without a partner")
                    .list("ul", unpaired);
        }
        return html.page("Comparison of two records");
    }

    private static DotChart chart(List<Pair> pairs) {
        return new DotChart(
                "more than 1: the second is better",
                pairs.stream()
                        .map(pair -> new Dot(
                                pair.scenario().name() + ", " + pair.after().label(),
                                pair.after().library(),
                                pair.lead(),
                                false,
                                Formats.ratioToBest(pair.lead(), Formats.ratio(pair.lead()))))
                        .toList(),
                true);
    }
}
