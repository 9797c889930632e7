// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import io.millrace.lab.server.LabException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A report as the views need the report: rows in scenarios, scenarios in experiments. */
record ReadReport(JsonNode json, List<ReadExperiment> experiments) {

    /**
     * One experiment of a report.
     *
     * @param title the name, if the report is older than titles
     * @param question empty in an older report
     * @param usesServer whether the version of the server matters
     */
    record ReadExperiment(
            String name, String title, String question, boolean usesServer, List<ComparedScenario> scenarios) {}

    /**
     * Reads the JSON of a report.
     *
     * @throws LabException if {@code text} is not such an object
     */
    static ReadReport parse(String text) {
        JsonNode json;
        try {
            json = JsonMapper.shared().readTree(text);
        } catch (JacksonException e) {
            throw new LabException(
                    "the report cannot be read, because the text is not JSON: line="
                            + e.getLocation().getLineNr() + ", column="
                            + e.getLocation().getColumnNr() + ". Name a file that the lab wrote with --report.",
                    e);
        }
        if (!json.isObject() || !json.path("results").isArray()) {
            throw new LabException("the report cannot be read: type=" + json.getNodeType()
                    + ", results=" + json.path("results").getNodeType()
                    + ". Name a file that the lab wrote with --report.");
        }
        return of(json);
    }

    static ReadReport of(JsonNode json) {
        Map<String, Map<String, List<Row>>> rows = new LinkedHashMap<>();
        json.path("results").forEach(result -> {
            Row row = Row.of(result);
            String experiment = result.path("experiment").asString("");
            rows.computeIfAbsent(experiment, name -> new LinkedHashMap<>())
                    .computeIfAbsent(row.scenario() + " " + row.rttMillis(), name -> new ArrayList<>())
                    .add(row);
        });
        List<ReadExperiment> experiments = new ArrayList<>();
        rows.forEach((name, scenarios) -> experiments.add(experiment(
                json,
                name,
                scenarios.values().stream()
                        .map(ofScenario -> new ComparedScenario(name, ofScenario))
                        .toList())));
        return new ReadReport(json, List.copyOf(experiments));
    }

    private static ReadExperiment experiment(JsonNode json, String name, List<ComparedScenario> scenarios) {
        JsonNode described = json.path("experiments")
                .valueStream()
                .filter(node -> node.path("name").asString("").equals(name))
                .findFirst()
                .orElseGet(() -> JsonMapper.shared().createObjectNode());
        return new ReadExperiment(
                name,
                described.path("title").asString(name),
                described.path("question").asString(""),
                described.path("usesServer").asBoolean(false),
                scenarios);
    }

    JsonNode environment() {
        return json.path("environment");
    }

    List<ComparedScenario> scenarios() {
        return experiments.stream()
                .flatMap(experiment -> experiment.scenarios().stream())
                .toList();
    }

    List<Row> rows() {
        return scenarios().stream()
                .flatMap(scenario -> scenario.rows().stream())
                .toList();
    }

    Optional<ReadExperiment> experiment(String name) {
        return experiments.stream()
                .filter(experiment -> experiment.name().equals(name))
                .findFirst();
    }
}
