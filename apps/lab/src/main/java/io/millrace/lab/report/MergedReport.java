// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import io.millrace.lab.measure.Environment;
import io.millrace.lab.server.LabException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * One report of several runs, each with a part of the experiments.
 *
 * <p>A run of all experiments takes hours. If the run is made in parts, or if it was interrupted, the parts together are a
 * complete record. Experiments are compared within themselves only, so each may have a time, a load and a commit of its own;
 * the report names all of them. A part may be a merged report, too: then an earlier record is completed by new experiments.
 */
public final class MergedReport {

    /** A run in full size: no option but the folder of the record. */
    private static final Pattern FULL_SIZE = Pattern.compile("millrace lab run( \\w+)*( --out \\S+)?");

    /** Arrays of a report whose elements name their experiment in the field of the value. */
    private static final Map<String, String> BY_EXPERIMENT =
            Map.of("results", "experiment", "experiments", "name", "bars", "experiment", "missing", "experiment");

    private final ObjectNode root = JsonMapper.shared().createObjectNode();

    /**
     * Merges reports. If several parts have the same experiment, the last one of these parts counts: the experiment at
     * which a run was interrupted is measured again by a later part.
     *
     * @param parts the JSON of each part, in the order of the runs
     * @param experiments the names of all experiments, in their order
     * @throws LabException if a part has changes that are not in its commit, or was not run in full size
     */
    public static MergedReport of(List<String> parts, List<String> experiments) {
        List<JsonNode> reports =
                parts.stream().map(part -> ReadReport.parse(part).json()).toList();
        reports.forEach(MergedReport::requireFullSize);
        return new MergedReport(reports, experiments);
    }

    private static void requireFullSize(JsonNode report) {
        String commit = commit(report);
        String command = report.path("environment").path("command").asString("");
        if (commit.isEmpty() || commit.contains("+changes")) {
            throw new LabException("the parts of a record need a commit without changes: commit="
                    + (commit.isEmpty() ? "unknown" : commit) + ", command=" + command + ".");
        }
        if (!Arrays.stream(command.split("; ", -1))
                .allMatch(each -> FULL_SIZE.matcher(each).matches())) {
            throw new LabException(
                    "a part of a record must be run without options other than --out: command=" + command + ".");
        }
    }

    private static String commit(JsonNode report) {
        return report.path("environment").path("commit").asString("");
    }

    private MergedReport(List<JsonNode> reports, List<String> experiments) {
        environment(reports);
        ObjectNode environment = (ObjectNode) root.path("environment");
        Map<String, List<String>> measuredAt = new LinkedHashMap<>();
        List<String> missing = new ArrayList<>();
        BY_EXPERIMENT.keySet().stream().sorted().forEach(root::putArray);
        for (String experiment : experiments) {
            Optional<JsonNode> source = reports.reversed().stream()
                    .filter(report -> has(report, experiment))
                    .findFirst();
            source.ifPresentOrElse(
                    report -> {
                        add(report, experiment);
                        measuredAt
                                .computeIfAbsent(commitOf(report, experiment), commit -> new ArrayList<>())
                                .add(experiment);
                    },
                    () -> missing.add(experiment));
        }
        environment.put("commit", String.join(", ", measuredAt.keySet()));
        environment.set("commits", JsonMapper.shared().valueToTree(measuredAt));
        environment.put("complete", missing.isEmpty());
        root.putArray("findings");
        Findings.of(ReadReport.of(root)).sentences().forEach(root.withArray("findings")::add);
    }

    /** The commit at which a report has measured an experiment. A merged report may have several commits. */
    private static String commitOf(JsonNode report, String experiment) {
        return report.path("environment")
                .path("commits")
                .propertyStream()
                .filter(commit -> commit.getValue()
                        .valueStream()
                        .anyMatch(name -> name.asString("").equals(experiment)))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(commit(report));
    }

    private void environment(List<JsonNode> reports) {
        JsonNode newest = reports.stream()
                .map(report -> report.path("environment"))
                .max(Comparator.comparing(
                        environment -> environment.path("date").asString("")))
                .orElseThrow();
        ObjectNode environment = (ObjectNode) newest.deepCopy();
        environment.put(
                "command",
                reports.stream()
                        .map(report ->
                                report.path("environment").path("command").asString(""))
                        .map(command -> command.replaceFirst(" --out \\S+$", "")) // the folder of a part is temporary
                        .collect(Collectors.joining("; ")));
        Map<Double, JsonNode> delays = new TreeMap<>();
        ObjectNode versions = environment.putObject("versions");
        ArrayNode parts = environment.putArray("parts");
        for (JsonNode report : reports) {
            JsonNode of = report.path("environment");
            of.path("versions").propertyStream().forEach(version -> versions.set(version.getKey(), version.getValue()));
            of.path("proxy")
                    .valueStream()
                    .forEach(delay -> delays.put(delay.path("rttMillis").asDouble(0), delay));
            if (of.path("parts").isEmpty()) {
                parts.add(part(of, commit(report)));
            } else {
                of.path("parts").valueStream().forEach(part -> parts.add(part(part, commit(report))));
            }
        }
        environment.putArray("proxy").addAll(delays.values());
        root.set("environment", environment);
    }

    /** The fields of one run. A part of an older merged report has no commit of its own. */
    private static ObjectNode part(JsonNode run, String commit) {
        ObjectNode part = JsonMapper.shared().createObjectNode();
        part.put("commit", run.path("commit").asString(commit));
        for (String field : List.of("date", "cpu", "loadAverage", "java", "server")) {
            part.set(field, run.path(field));
        }
        return part;
    }

    private static boolean has(JsonNode report, String experiment) {
        return report.path("results")
                .valueStream()
                .anyMatch(result -> result.path("experiment").asString("").equals(experiment));
    }

    private void add(JsonNode report, String experiment) {
        BY_EXPERIMENT.forEach((array, field) -> report.path(array)
                .valueStream()
                .filter(node -> node.path(field).asString("").equals(experiment))
                .forEach(node -> root.withArray(array).add(node)));
        if (experiment.equals("e4") && report.has("scenarios")) {
            root.set("scenarios", report.path("scenarios"));
        }
        if (experiment.equals("tune")) {
            root.set("advice", report.path("advice"));
        }
    }

    /** The JSON object of the merged report, over several lines. */
    public String json() {
        return JsonMapper.shared().writerWithDefaultPrettyPrinter().writeValueAsString(root);
    }

    /** The commands of all parts. */
    public String command() {
        return root.path("environment").path("command").asString("");
    }

    /** Where and with what the newest part was made. */
    public Environment environment() {
        JsonNode environment = root.path("environment");
        JsonNode load = environment.path("loadAverage");
        return new Environment(
                Instant.parse(environment.path("date").asString("")),
                Optional.of(environment.path("commit").asString("")),
                environment.path("java").asString(""),
                Optional.of(environment.path("cpu").asString("")).filter(cpu -> !cpu.isEmpty()),
                environment.path("cores").asInt(0),
                load.isNumber() ? OptionalDouble.of(load.asDouble()) : OptionalDouble.empty(),
                environment.path("server").asString(""),
                Map.of());
    }
}
