// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import io.millrace.lab.report.Charts.Chart;
import io.millrace.lab.report.ReadReport.ReadExperiment;
import io.millrace.lab.server.LabException;
import io.millrace.lab.statistics.Estimate;
import io.millrace.lab.statistics.Values;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/**
 * Figures of a report in a document. A place of the document is marked so:
 *
 * <pre>{@code
 * <!-- record: link -->…<!-- end -->                                  to the tables and the page
 * <!-- record: micro -->…<!-- end -->                                 to the costs within a process
 * <!-- record: environment -->…<!-- end -->                           date, machine and versions
 * <!-- record: limits -->…<!-- end -->                                what Millrace promises
 * <!-- record: findings EXPERIMENT -->…<!-- end -->                   the three sentences
 * <!-- record: table EXPERIMENT -->…<!-- end -->                      ratios of all scenarios
 * <!-- record: factors EXPERIMENT -->…<!-- end -->                   ratios to another scenario
 * <!-- record: picture EXPERIMENT -->…<!-- end -->                    the charts of all scenarios
 * <!-- record: figure EXPERIMENT SCENARIO CONTENDER -->…<!-- end -->  the measure of a contender
 * <!-- record: figure EXPERIMENT SCENARIO CONTENDER NAME -->…<!-- end -->
 * <!-- record: ratio EXPERIMENT SCENARIO CONTENDER CONTENDER -->…<!-- end -->
 * <!-- record: ratio EXPERIMENT SCENARIO CONTENDER CONTENDER NAME -->…<!-- end -->
 * }</pre>
 *
 * <p>If the record does not have an experiment, the place of its findings says so, and its tables and pictures are empty.
 * A figure or a ratio of such an experiment is an error. {@code SCENARIO} may end with {@code @1}, for a round trip of 1 ms. {@code CONTENDER} is a label such as {@code
 * lettuce/pool}. {@code NAME} is {@code seconds} for one unit of work, {@code cpu} or {@code server-cpu} for
 * microseconds of CPU time per operation, or the name of a figure with {@code _} for blanks.
 */
final class Markdown {

    /** Folder of the pictures, next to the document. */
    static final String PICTURES = "pictures";

    static final Pattern PLACE = Pattern.compile("(<!-- record: ([^>]*?) -->)(.*?)(<!-- end -->)", Pattern.DOTALL);

    private static final int WIDTH = 720;

    private final ReadReport report;
    private final String folder;
    private final boolean hasMicro;

    /**
     * @param folder the folder of the record, relative to the document
     * @param hasMicro whether the folder has the costs within a process
     */
    Markdown(ReadReport report, String folder, boolean hasMicro) {
        this.report = report;
        this.folder = folder;
        this.hasMicro = hasMicro;
    }

    /** {@code document} with the contents of all marked places written again. */
    String renew(String document) {
        return PLACE.matcher(document)
                .replaceAll(place -> Matcher.quoteReplacement(place.group(1) + content(place) + place.group(4)));
    }

    private String content(MatchResult place) {
        List<String> words = List.of(place.group(2).split(" +"));
        try {
            return switch (words.getFirst()) {
                case "link" -> "[tables](" + folder + "/table.txt) and [page](" + folder + "/report.html)";
                case "micro" -> block(micro());
                case "environment" -> block(environment());
                case "limits" -> block(limits());
                case "findings" ->
                    block(report.experiment(words.get(1))
                            .map(Markdown::findings)
                            .orElse(notMeasured(words.get(1))));
                case "table" -> block(words.get(1), Markdown::table);
                case "factors" -> block(words.get(1), Markdown::factors);
                case "picture" -> block(words.get(1), Markdown::picture);
                case "figure" -> figure(words);
                case "ratio" -> ratio(words);
                default ->
                    throw new LabException(
                            "the marker has no known kind: marker=" + place.group(2)
                                    + ". The kinds are link, micro, environment, limits, findings, table, factors, picture, figure and ratio.");
            };
        } catch (IndexOutOfBoundsException e) {
            throw new LabException("the marker has too few words: marker=" + place.group(2) + ".", e);
        }
    }

    private static String block(String text) {
        return "\n" + text + "\n";
    }

    /** A block about an experiment; empty if the record does not have the experiment. */
    private String block(String experiment, Function<ReadExperiment, String> content) {
        return report.experiment(experiment).map(content).map(Markdown::block).orElse("\n");
    }

    /** The text in the place of the findings if the experiment is newer than the record. */
    static String notMeasured(String experiment) {
        return "The record has no figures of `" + experiment + "`: the experiment is newer than the record.";
    }

    private String micro() {
        return hasMicro
                ? "[Costs within a process](" + folder + "/" + Report.MICRO
                        + "), such as the hand-over of a task, are in the same record."
                : "The record has no costs within a process, such as the hand-over of a task: `make microbench` measures"
                        + " them.";
    }

    private String environment() {
        JsonNode environment = report.environment();
        String versions = environment
                .path("versions")
                .propertyStream()
                .map(version -> version.getKey() + " " + version.getValue().asString(""))
                .collect(Collectors.joining(", "));
        return "* " + Page.environment(environment) + "\n* Redis "
                + environment.path("server").asString("") + "; " + versions;
    }

    private String limits() {
        return table(
                Tables.BAR_HEADINGS,
                report.json().path("bars").valueStream().map(Tables::bar).toList());
    }

    private static String table(List<String> headings, List<List<String>> rows) {
        var text = new StringBuilder(line(headings) + "\n|" + "---|".repeat(headings.size()));
        rows.forEach(row -> text.append('\n').append(line(row)));
        return text.toString();
    }

    private static String line(List<String> cells) {
        return cells.stream()
                .map(cell -> cell.isEmpty() ? " " : " " + cell + " ")
                .collect(Collectors.joining("|", "|", "|"));
    }

    private static String findings(ReadExperiment experiment) {
        return Findings.of(experiment.scenarios()).sentences().stream()
                .map(sentence -> "* " + sentence)
                .collect(Collectors.joining("\n"));
    }

    private static String table(ReadExperiment experiment) {
        HeatTable heat = HeatTable.of(experiment.scenarios());
        String table = table(
                Stream.concat(Stream.of(""), heat.libraries().stream()).toList(),
                heat.lines().stream().map(line -> cells(line, heat.libraries())).toList());
        String failures = heat.lines().stream()
                .flatMap(line -> line.failures().stream())
                .map(failure -> "\n* " + failure + ".")
                .collect(Collectors.joining());
        return failures.isEmpty() ? table : table + "\n" + failures;
    }

    private static List<String> cells(HeatTable.Line line, List<String> libraries) {
        List<String> cells = new ArrayList<>(List.of(line.title()));
        for (int i = 0; i < libraries.size(); i++) {
            cells.add(line.cells().get(i).map(Markdown::cell).orElse(line.absence(libraries.get(i))));
        }
        return cells;
    }

    private static String factors(ReadExperiment experiment) {
        FactorTable factors = FactorTable.of(experiment.scenarios());
        return table(factors.headings(), factors.rows());
    }

    private static String cell(HeatTable.Cell cell) {
        return cell.isBest() ? "1" : Formats.ratioToBest(cell.ratio(), Formats.ratio(cell.ratio()));
    }

    private static String picture(ReadExperiment experiment) {
        return "![" + experiment.title() + "](" + PICTURES + "/" + experiment.name() + ".svg)";
    }

    /** SVG files by their names: one for each experiment that compares something. */
    Map<String, String> pictures() {
        Map<String, String> pictures = new LinkedHashMap<>();
        for (ReadExperiment experiment : report.experiments()) {
            var svg = new Svg(WIDTH, 4);
            Charts.latency(experiment.scenarios()).ifPresent(chart -> append(svg, chart));
            experiment.scenarios().stream()
                    .flatMap(scenario -> scenario.comparisons().stream())
                    .filter(scenario -> scenario.bestOfLibraries().size() > 1)
                    .map(Markdown::bestModes)
                    .forEach(chart -> append(svg, chart));
            if (svg.height() > 4) {
                pictures.put(experiment.name() + ".svg", svg.file(Html.resource("chart.css"), experiment.title()));
            }
        }
        return pictures;
    }

    private static Chart bestModes(ComparedScenario scenario) {
        List<Row> rows = new ArrayList<>(scenario.bestOfLibraries().values());
        scenario.rows().stream()
                .filter(row -> row.isReference() && row.isVerified())
                .forEach(rows::add);
        return new Chart(
                scenario.title(), false, width -> DotChart.of(scenario, rows).draw(width));
    }

    private static void append(Svg svg, Chart chart) {
        var heading = new Svg(WIDTH, 30).text(0, 20, "start", "heading", Svg.cut(chart.title(), WIDTH));
        svg.append(heading).append(chart.draw().apply(WIDTH));
    }

    private String figure(List<String> words) {
        Row row = row(scenario(words.get(1), words.get(2)), words.get(3));
        return Formats.estimate(Estimate.of(values(row, words, 4), Report.SEED));
    }

    /** The values that the word at {@code index} names; the measure of the row if there is no such word. */
    private static Values values(Row row, List<String> words, int index) {
        return words.size() > index ? values(row, words.get(index)) : row.measured();
    }

    private static Values values(Row row, String name) {
        Values values = switch (name) {
            case "seconds" -> row.unitSeconds();
            case "cpu" -> row.cpuMicros(false);
            case "server-cpu" -> row.cpuMicros(true);
            default -> row.figure(name.replace('_', ' '));
        };
        if (values.count() == 0) {
            throw new LabException("the record has no such figure: row=" + row.key() + ", figure=" + name
                    + ". The row has: " + row.headings());
        }
        return values;
    }

    private String ratio(List<String> words) {
        ComparedScenario scenario = scenario(words.get(1), words.get(2));
        Row above = row(scenario, words.get(3));
        Row below = row(scenario, words.get(4));
        return Formats.ratio(Estimate.ratio(values(above, words, 5), values(below, words, 5), Report.SEED));
    }

    private ReadExperiment experiment(String name) {
        return report.experiment(name)
                .orElseThrow(() -> new LabException("the record has no such experiment: name=" + name
                        + ". There are: "
                        + report.experiments().stream()
                                .map(ReadExperiment::name)
                                .toList()));
    }

    private ComparedScenario scenario(String experiment, String name) {
        int at = name.indexOf('@');
        double rttMillis = at < 0 ? 0 : Double.parseDouble(name.substring(at + 1));
        String scenario = at < 0 ? name : name.substring(0, at);
        return experiment(experiment).scenarios().stream()
                .filter(candidate -> candidate.name().equals(scenario) && candidate.rttMillis() == rttMillis)
                .findFirst()
                .orElseThrow(() -> new LabException("the record has no such scenario: experiment=" + experiment
                        + ", scenario=" + name + ". There are: "
                        + experiment(experiment).scenarios().stream()
                                .map(ComparedScenario::name)
                                .toList()));
    }

    /** A verified row; a figure of a failed row must not be in a document. */
    private static Row row(ComparedScenario scenario, String label) {
        return scenario.rows().stream()
                .filter(row -> row.label().equals(label) && row.isVerified())
                .findFirst()
                .orElseThrow(() -> new LabException("the record has no such verified row: scenario=" + scenario.name()
                        + ", contender=" + label + ". There are: "
                        + scenario.rows().stream().map(Row::label).toList()));
    }
}
