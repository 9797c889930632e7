// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import io.millrace.lab.measure.Environment;
import io.millrace.lab.server.LabException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * One report of several runs of the same commit, each with a part of the experiments.
 *
 * <p>A run of all experiments takes hours. If the run is made in parts, or if it was interrupted, the parts together are a
 * complete record. Experiments are compared within themselves only, so each may have a time and a load of its own; the
 * report names both.
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
     * @throws LabException if a part has another commit, has changes, or was not run in full size
     */
    public static MergedReport of(List<String> parts, List<String> experiments) {
        List<JsonNode> reports =
                parts.stream().map(part -> ReadReport.parse(part).json()).toList();
        reports.forEach(report -> requireFullSize(report, reports.getFirst()));
        return new MergedReport(reports, experiments);
    }

    private static void requireFullSize(JsonNode report, JsonNode first) {
        JsonNode environment = report.path("environment");
        String commit = environment.path("commit").asString("unknown");
        String command = environment.path("command").asString("");
        if (commit.endsWith("+changes")
                || !commit.equals(first.path("environment").path("commit").asString(""))) {
            throw new LabException("the parts of a record need the same commit without changes: commit=" + commit
                    + ", command=" + command + ".");
        }
        if (!FULL_SIZE.matcher(command).matches()) {
            throw new LabException(
                    "a part of a record must be run without options other than --out: command=" + command + ".");
        }
    }

    private MergedReport(List<JsonNode> reports, List<String> experiments) {
        environment(reports);
        List<String> missing = new ArrayList<>();
        BY_EXPERIMENT.keySet().stream().sorted().forEach(root::putArray);
        for (String experiment : experiments) {
            Optional<JsonNode> source = reports.reversed().stream()
                    .filter(report -> has(report, experiment))
                    .findFirst();
            source.ifPresentOrElse(report -> add(report, experiment), () -> missing.add(experiment));
        }
        ((ObjectNode) root.path("environment")).put("complete", missing.isEmpty());
        root.putArray("findings");
        Findings.of(ReadReport.of(root)).sentences().forEach(root.withArray("findings")::add);
    }

    private void environment(List<JsonNode> reports) {
        ObjectNode environment =
                (ObjectNode) reports.getFirst().path("environment").deepCopy();
        environment.put(
                "command",
                reports.stream()
                        .map(report ->
                                report.path("environment").path("command").asString(""))
                        .map(command -> command.replaceFirst(" --out \\S+$", "")) // the folder of a part is temporary
                        .collect(Collectors.joining("; ")));
        environment.putArray("parts");
        for (JsonNode report : reports) {
            ObjectNode part = environment.withArray("parts").addObject();
            for (String field : List.of("date", "cpu", "loadAverage", "java", "server")) {
                part.set(field, report.path("environment").path(field));
            }
        }
        root.set("environment", environment);
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

    /** Where and with what the first part was made. */
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
