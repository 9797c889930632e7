// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import io.millrace.lab.report.Charts.Chart;
import io.millrace.lab.report.ReadReport.ReadExperiment;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** A report as a page: findings, then tables of ratios, then the charts and figures of each experiment. */
final class Page {

    private final ReadReport report;
    private final Html html = new Html();

    private Page(ReadReport report) {
        this.report = report;
    }

    static String of(ReadReport report) {
        return new Page(report).page();
    }

    private String page() {
        html.element("h1", "", "Millrace lab").element("p", "muted", environment(report.environment()));
        html.heading(2, "findings", "Findings", "Findings")
                .list("ol", Findings.of(report).sentences());
        heat();
        bars();
        report.experiments().forEach(this::experiment);
        end();
        return html.page("Millrace lab");
    }

    /** Date, machine and versions in one line. */
    static String environment(JsonNode environment) {
        return Stream.of(
                        environment.path("date").asString(""),
                        commits(environment),
                        environment.path("cpu").asString(""),
                        environment.path("cores").asString("?") + " cores",
                        load(environment),
                        environment.path("parts").size() > 1
                                ? "measured in " + environment.path("parts").size() + " parts"
                                : "",
                        environment.path("java").asString(""))
                .filter(part -> !part.isBlank())
                .collect(Collectors.joining(" · "));
    }

    /** The commit; if there are several, each with its experiments. */
    private static String commits(JsonNode environment) {
        JsonNode commits = environment.path("commits");
        return commits.size() < 2
                ? "commit " + environment.path("commit").asString("unknown")
                : commits.propertyStream()
                        .map(commit -> "commit " + commit.getKey() + " for "
                                + commit.getValue()
                                        .valueStream()
                                        .map(name -> name.asString(""))
                                        .collect(Collectors.joining(", ")))
                        .collect(Collectors.joining(" · "));
    }

    /** The load average at the start; the smallest and the largest if the record has several parts. */
    private static String load(JsonNode environment) {
        JsonNode parts = environment.path("parts");
        var loads = Stream.concat(Stream.of(environment), parts.valueStream())
                .map(part -> part.path("loadAverage"))
                .filter(JsonNode::isNumber)
                .mapToDouble(JsonNode::asDouble)
                .summaryStatistics();
        if (loads.getCount() == 0) {
            return "";
        }
        return parts.size() > 1
                ? "load average " + Formats.number(loads.getMin()) + " to " + Formats.number(loads.getMax())
                        + " at the starts of the parts"
                : "load average " + Formats.number(loads.getMin()) + " at the start";
    }

    private void heat() {
        html.heading(2, "overview", "Overview", "Overview")
                .element(
                        "p",
                        "muted",
                        "Millrace with one mode and the best mode of each other library, divided by the best of the"
                                + " scenario. The mode of Millrace is its default mode, or in a pipeline the mode that"
                                + " sends the same commands as the others. “≈” means: the 95 % interval of"
                                + " the ratio contains 1, so no difference from the best is proved. Parentheses mean:"
                                + " fewer than four rounds, so nothing is proved.");
        for (ReadExperiment experiment : report.experiments()) {
            HeatTable heat = HeatTable.of(experiment.scenarios());
            html.open("h3", "").link(experiment.name(), experiment.title()).close("h3");
            if (heat.isEmpty()) {
                html.element("p", "muted", "This experiment compares no libraries.");
            } else {
                html.heat(heat);
            }
        }
    }

    private void bars() {
        List<List<String>> rows =
                report.json().path("bars").valueStream().map(Tables::bar).toList();
        if (!rows.isEmpty()) {
            html.heading(2, "limits", "Limits that Millrace promises", "Limits that Millrace promises")
                    .table(Tables.BAR_HEADINGS, rows);
        }
    }

    private void experiment(ReadExperiment experiment) {
        html.open("section", "").heading(2, experiment.name(), experiment.title(), experiment.name());
        if (!experiment.question().isEmpty()) {
            html.element("p", "", experiment.question());
        }
        if (experiment.usesServer()) {
            html.element(
                    "p", "muted", "Redis " + report.environment().path("server").asString("of an unknown version"));
        }
        html.list("ol", Findings.of(experiment.scenarios()).sentences());
        FactorTable factors = FactorTable.of(experiment.scenarios());
        if (!factors.isEmpty()) {
            html.element("p", "muted", FactorTable.CAPTION).table(factors.headings(), factors.rows());
        }
        Charts.latency(experiment.scenarios()).ifPresent(chart -> html.chart(chart, true));
        html.open("div", "charts");
        experiment.scenarios().forEach(this::scenario);
        html.close("div").close("section");
    }

    private void scenario(ComparedScenario scenario) {
        html.open("article", "").heading(3, scenario.id(), scenario.title(), scenario.name());
        List<Chart> charts = Charts.of(scenario);
        charts.forEach(chart -> html.chart(chart, !chart.title().equals(scenario.title())));
        ScenarioTable table = ScenarioTable.of(scenario);
        html.open(charts.isEmpty() ? "details open" : "details", "")
                .element("summary", "", "All figures")
                .table(table.headings(), table.rows())
                .close("details");
        html.open("details", "")
                .element("summary", "", "Settings and remarks")
                .list(
                        "ul",
                        Stream.concat(
                                        ScenarioTable.notes(scenario).stream(),
                                        ScenarioTable.settings(List.of(scenario)).stream())
                                .toList())
                .close("details");
        failures(scenario);
        html.close("article");
    }

    private void failures(ComparedScenario scenario) {
        for (Row row : scenario.rows()) {
            row.text("failure").ifPresent(text -> html.element("p", "failed", row.label() + " failed: " + text));
        }
    }

    private void end() {
        List<String> missing =
                report.json().path("missing").valueStream().map(Tables::missing).toList();
        if (!missing.isEmpty()) {
            html.heading(2, "missing", "Missing", "Missing").list("ul", missing);
        }
        List<String> advice = report.json()
                .path("advice")
                .valueStream()
                .map(line -> line.asString(""))
                .toList();
        if (!advice.isEmpty()) {
            html.heading(2, "advice", "Advice", "Advice").list("ul", advice);
        }
        html.element(
                "p", "muted", "Command: " + report.environment().path("command").asString("unknown"));
        html.element(
                "p",
                "muted",
                "Versions: "
                        + report.environment()
                                .path("versions")
                                .propertyStream()
                                .map(version -> version.getKey() + " "
                                        + version.getValue().asString(""))
                                .collect(Collectors.joining(", ")));
    }
}
