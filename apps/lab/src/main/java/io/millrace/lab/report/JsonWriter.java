// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import static io.millrace.lab.report.JsonNumbers.put;

import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.Result;
import io.millrace.lab.measure.Environment;
import io.millrace.lab.measure.Missing;
import io.millrace.lab.statistics.BarVerdict;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Set;
import java.util.TreeMap;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Writes a run as one JSON object. A field whose value is not known is null. */
final class JsonWriter {

    private final MeasuredRun run;
    private final ObjectNode root = JsonMapper.shared().createObjectNode();

    private JsonWriter(MeasuredRun run) {
        this.run = run;
    }

    static String write(MeasuredRun run) {
        return new JsonWriter(run).write();
    }

    private String write() {
        environment(root.putObject("environment"), run.environment());
        ArrayNode results = root.putArray("results");
        run.results().forEach(result -> new ResultJson(result).write(results.addObject()));
        run.experiments().forEach(experiment -> write(root.withArray("experiments"), experiment));
        bars(root.putArray("bars"));
        missing(root.putArray("missing"));
        if (!run.taskWaits().isEmpty()) {
            root.set("scenarios", JsonMapper.shared().valueToTree(run.taskWaits()));
        }
        run.advice().forEach(root.putArray("advice")::add);
        ArrayNode findings = root.putArray("findings");
        Findings.of(ReadReport.of(root)).sentences().forEach(findings::add);
        return JsonMapper.shared().writerWithDefaultPrettyPrinter().writeValueAsString(root);
    }

    private void environment(ObjectNode node, Environment environment) {
        node.put("date", environment.date().toString());
        node.put("commit", environment.commit().orElse(null));
        node.put("java", environment.java());
        node.put("cpu", environment.cpu().orElse(null));
        node.put("cores", environment.cores());
        put(node, "loadAverage", environment.loadAverage().orElse(Double.NaN));
        node.put("server", environment.server());
        ObjectNode versions = node.putObject("versions");
        new TreeMap<>(environment.versions()).forEach(versions::put);
        node.put("command", run.command());
        node.put("complete", run.isComplete());
        ArrayNode proxy = node.putArray("proxy");
        new TreeMap<>(run.addedRoundTrips()).forEach((asked, added) -> {
            ObjectNode object = proxy.addObject();
            put(object, "rttMillis", asked.toNanos() / 1e6);
            put(object, "addedMillis", added.toNanos() / 1e6);
        });
    }

    private void write(ArrayNode array, Experiment experiment) {
        Set<String> measured = new LinkedHashSet<>();
        run.results().stream()
                .filter(result -> result.experiment().equals(experiment.name()))
                .forEach(result -> measured.add(result.scenario().name()));
        if (measured.isEmpty()) {
            return;
        }
        boolean usesServer = experiment.scenarios().stream()
                .anyMatch(scenario ->
                        measured.contains(scenario.name()) && scenario.server().isNeeded());
        array.addObject()
                .put("name", experiment.name())
                .put("title", experiment.title())
                .put("question", experiment.question())
                .put("usesServer", usesServer);
    }

    private void bars(ArrayNode array) {
        for (BarVerdict verdict : BarVerdict.of(run.results(), Report.SEED)) {
            ObjectNode node = array.addObject()
                    .put("experiment", verdict.experiment())
                    .put("scenario", verdict.scenario())
                    .put("name", verdict.bar().name())
                    .put("contender", verdict.bar().contender())
                    .put("against", verdict.against().orElse(null))
                    .put("limit", verdict.bar().limit().map(Object::toString).orElse(null));
            put(node, "value", verdict.value());
            node.put("state", verdict.state().name().toLowerCase(Locale.ROOT));
            node.put("doubt", verdict.doubt().orElse(null));
        }
    }

    private void missing(ArrayNode array) {
        for (Missing missing : run.missing()) {
            array.addObject()
                    .put("experiment", missing.experiment())
                    .put("scenario", missing.scenario())
                    .put("contender", missing.contender())
                    .put("why", missing.why());
        }
    }

    /** Name of the row of {@code result} within its experiment. */
    static String variant(Result result) {
        String mode = result.contender().description().mode();
        return mode.isEmpty() ? result.scenario().name() : result.scenario().name() + "/" + mode;
    }
}
