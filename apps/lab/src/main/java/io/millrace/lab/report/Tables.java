// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import io.millrace.lab.report.ReadReport.ReadExperiment;
import io.millrace.lab.statistics.Estimate;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** A report as text for a terminal. */
final class Tables {

    static String of(ReadReport report) {
        var text = new StringBuilder(Page.environment(report.environment())).append("\n\nFindings\n");
        Findings.of(report)
                .sentences()
                .forEach(sentence -> text.append("* ").append(sentence).append('\n'));
        for (ReadExperiment experiment : report.experiments()) {
            text.append('\n')
                    .append(experiment.title())
                    .append(" (")
                    .append(experiment.name())
                    .append(")\n");
            Findings.of(experiment.scenarios())
                    .sentences()
                    .forEach(sentence -> text.append("* ").append(sentence).append('\n'));
            experiment.scenarios().forEach(scenario -> scenario(text, scenario));
            FactorTable factors = FactorTable.of(experiment.scenarios());
            if (!factors.isEmpty()) {
                text.append('\n')
                        .append(FactorTable.CAPTION)
                        .append("\n\n")
                        .append(new TextTable(factors.headings(), factors.rows()));
            }
            List<String> settings = ScenarioTable.settings(experiment.scenarios());
            text.append(settings.isEmpty() ? "" : "\nSettings\n");
            settings.forEach(line -> text.append("  ").append(line).append('\n'));
        }
        bars(text, report);
        report.json()
                .path("missing")
                .forEach(missing ->
                        text.append("missing: ").append(missing(missing)).append('\n'));
        report.json()
                .path("advice")
                .forEach(line -> text.append(line.asString("")).append('\n'));
        return text.toString();
    }

    private static void scenario(StringBuilder text, ComparedScenario scenario) {
        ScenarioTable table = ScenarioTable.of(scenario);
        text.append('\n')
                .append(scenario.title())
                .append(" (")
                .append(scenario.name())
                .append(")\n\n")
                .append(new TextTable(table.headings(), table.rows()));
        for (Row row : scenario.rows()) {
            List<List<String>> seconds = ScenarioTable.seconds(row);
            if (!seconds.isEmpty()) {
                text.append('\n')
                        .append(row.label())
                        .append(", seconds of the last round\n")
                        .append(new TextTable(ScenarioTable.SECONDS, seconds));
            }
        }
        ScenarioTable.notes(scenario)
                .forEach(note -> text.append("  ").append(note).append('\n'));
    }

    private static void bars(StringBuilder text, ReadReport report) {
        List<List<String>> rows =
                report.json().path("bars").valueStream().map(Tables::bar).toList();
        if (!rows.isEmpty()) {
            text.append("\nLimits\n\n").append(new TextTable(BAR_HEADINGS, rows));
        }
    }

    static final List<String> BAR_HEADINGS = List.of("scenario", "contender", "figure", "value", "limit", "state");

    /** The cells of a limit, for {@link #BAR_HEADINGS}. */
    static List<String> bar(JsonNode bar) {
        String against = bar.path("against").asString("");
        String state = bar.path("state").asString(bar.path("standing").asString("")); // the name in older reports
        return List.of(
                bar.path("experiment").asString("") + " " + bar.path("scenario").asString(""),
                bar.path("contender").asString("") + (against.isEmpty() ? "" : " / " + against),
                bar.path("name").asString(""),
                Formats.ratio(estimate(bar.path("value"))),
                bar.path("limit").asString("–"),
                state + doubt(bar, state));
    }

    private static String doubt(JsonNode bar, String state) {
        boolean isOlderDoubt = !bar.path("certain").asBoolean(true); // in older reports
        String doubt = bar.path("doubt").asString(isOlderDoubt ? "the interval contains the limit" : "");
        return doubt.isEmpty() ? "" : (state.equals("unknown") ? ": " : ", but ") + doubt;
    }

    private static Estimate estimate(JsonNode value) {
        return new Estimate(
                value.path("median").asDouble(Double.NaN),
                value.path("low").asDouble(Double.NaN),
                value.path("high").asDouble(Double.NaN));
    }

    static String missing(JsonNode missing) {
        String scenario = missing.path("scenario").asString("");
        return missing.path("experiment").asString("") + (scenario.isEmpty() ? "" : " " + scenario) + ", "
                + missing.path("contender").asString("") + ": "
                + missing.path("why").asString("");
    }

    private Tables() {}
}
