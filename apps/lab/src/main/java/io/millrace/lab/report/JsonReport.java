// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import io.millrace.lab.contender.MillraceCommand;
import io.millrace.lab.run.Figure;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.Run;
import io.millrace.lab.run.Sample;
import io.millrace.lab.run.Second;
import io.millrace.lab.run.Series;
import io.millrace.lab.run.Trace;
import io.millrace.lab.tasks.Ideal;
import java.util.Comparator;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Runs as one JSON object, of the same form for everything the lab measures. What is not known is null. */
public final class JsonReport {

    /** The object, over several lines. */
    public static String of(Environment environment, Findings findings) {
        var root = JsonMapper.shared().createObjectNode();
        write(root.putObject("environment"), environment, findings);
        var results = root.putArray("results");
        for (var run : findings.runs()) {
            var result = results.addObject();
            write(result, run, run.workload().variant(run.contender()), Figure.WALL);
            put(result, "factor", Factors.of(run, findings.runs()), 3);
            var own = Figure.own(MillraceCommand.SECONDS);
            if (!own.of(run).values().isEmpty()) {
                write(results.addObject(), run, run.contender().variant() + "-own-seconds", own);
            }
        }
        writeMissing(root.putArray("missing"), findings);
        Scenarios.of(findings.runs())
                .forEach(drawn -> write(root.withArray("scenarios").addObject(), drawn));
        findings.curves().forEach(curve -> write(root.withArray("curves").addObject(), curve));
        findings.settings()
                .forEach(setting -> root.withArray("settings")
                        .addObject()
                        .put("for", setting.forWhom())
                        .put("text", setting.text()));
        return JsonMapper.shared().writerWithDefaultPrettyPrinter().writeValueAsString(root);
    }

    private static void writeMissing(ArrayNode array, Findings findings) {
        for (var missing : findings.missing()) {
            array.addObject()
                    .put("experiment", missing.experiment())
                    .put("contender", missing.contender())
                    .put("why", missing.why());
        }
    }

    private static void write(ObjectNode node, Curve curve) {
        node.put("experiment", curve.experiment());
        node.put("name", curve.name());
        node.put("title", curve.title());
        node.put("parameter", curve.title());
        node.put("rttMillis", curve.roundTrip().toNanos() / 1e6);
        var held = node.putObject("fixed");
        new TreeMap<>(curve.held()).forEach(held::put);
        var points = node.putArray("points");
        for (var point : curve.points()) {
            var object = points.addObject().put("value", point.value());
            var rates = object.putArray("operationsPerSecond");
            point.perSecond().values().forEach(rate -> rates.add(Math.round(rate)));
            put(object, "median", point.perSecond().median(), 0);
            object.put("cpuMicrosPerOperation", rounded(point.cpuMicros(), 4));
            object.put("serverBusy", rounded(point.serverBusy(), 3));
        }
        node.put("best", curve.best());
        node.put("knee", curve.knee());
        node.put("recommended", curve.recommended());
        node.put("bottleneck", curve.bottleneck());
        node.put("why", curve.why());
    }

    private static void write(ObjectNode node, Environment environment, Findings findings) {
        node.put("date", environment.date().toString());
        node.put("commit", environment.commit().orElse(null));
        node.put("java", environment.java());
        node.put("cpu", environment.cpu().orElse(null));
        node.put("cores", environment.cores());
        node.put("server", environment.server());
        var versions = node.putObject("versions");
        environment.versions().forEach(versions::put);
        node.put("command", findings.command());
        var delays = node.putArray("proxy");
        for (var delay : findings.delays()) {
            delays.addObject()
                    .put("rttMillis", delay.asked().toNanos() / 1e6)
                    .put("directMillis", delay.direct().toNanos() / 1e6)
                    .put("addedMillis", delay.added().toNanos() / 1e6);
        }
    }

    private static void write(ObjectNode node, Run run, String variant, Figure wallFigure) {
        var wall = wallFigure.of(run);
        node.put("experiment", run.workload().experiment());
        node.put("variant", variant);
        node.put("contender", run.contender().name());
        node.put("rttMillis", run.roundTrip().toNanos() / 1e6);
        node.put("operations", run.medianOperations());
        var walls = node.putArray("wallSeconds");
        wall.values().forEach(seconds -> walls.add(rounded(seconds, 6)));
        put(node, "medianWallSeconds", wall.median(), 6);
        perSecond(node, run.medianOperations(), wall.median());
        put(node, "userSeconds", user(run).median(), 6);
        put(node, "systemSeconds", system(run).median(), 6);
        put(node, "cpuMicrosPerOperation", Figure.CPU_MICROS.of(run).median(), 4);
        put(
                node,
                "cpuPercent",
                run.series(sample -> 100 * sample.measured().cpuShare()).median(),
                1);
        put(node, "serverBusy", Figure.SERVER_SHARE.of(run).median(), 3);
        node.put("verified", run.verified());
        node.put("failure", failure(run));
        outcomes(node, run);
        put(node, "idealSeconds", ideal(run), 6);
        run.workload()
                .figures()
                .forEach((name, figure) -> put(
                        node.withObjectProperty("figures"), name, figure.of(run).median(), 3));
        node.put("unfair", run.contender().unfair().orElse(null));
        node.put("note", note(run));
        run.remark().ifPresent(remark -> node.put("remark", remark));
        run.trace().ifPresent(trace -> write(node.putObject("trace"), trace));
        if (!run.seconds().isEmpty()) {
            run.seconds().forEach(second -> write(node.withArray("seconds").addObject(), second));
        }
    }

    private static void write(ObjectNode node, Trace trace) {
        node.put("tasksPerMark", trace.tasksPerMark());
        var produced = node.putArray("producedMillis");
        trace.producedMillis().forEach(produced::add);
        var consumed = node.putArray("consumedMillis");
        trace.consumedMillis().forEach(consumed::add);
    }

    private static void write(ObjectNode node, Scenarios.Drawn drawn) {
        var scenario = drawn.scenario();
        node.put("name", scenario.name());
        node.put("producers", scenario.producers());
        node.put("consumers", scenario.consumers());
        node.put("batch", scenario.batch());
        node.put("seed", drawn.seed());
        node.put("idealSeconds", rounded(Ideal.of(scenario).toNanos() / 1e9, 6));
        node.put("produceMillis", scenario.produce().toNanos() / 1e6);
        var consume = node.putArray("consumeMillis");
        scenario.consume().forEach(wait -> consume.add(wait.toNanos() / 1e6));
    }

    private static void write(ObjectNode node, Second second) {
        node.put("second", second.second());
        node.put("iterations", second.iterations());
        write(node, second.outcomes());
        node.put("pending", second.pending());
        if (second.serverCommands() >= 0) {
            node.put("serverCommands", second.serverCommands());
        } else {
            node.putNull("serverCommands");
        }
    }

    /** Why the run does not count: that it did not come to its end, or what was wrong with its data. */
    private static @Nullable String failure(Run run) {
        return run.failure()
                .or(() -> run.samples().stream()
                        .flatMap(sample -> sample.complaints().stream())
                        .findFirst())
                .orElse(null);
    }

    private static OptionalDouble ideal(Run run) {
        return run.workload().idealSeconds(run);
    }

    private static void perSecond(ObjectNode node, long operations, OptionalDouble wall) {
        if (wall.isPresent()) {
            node.put("operationsPerSecond", Math.round(operations / wall.getAsDouble()));
        } else {
            node.putNull("operationsPerSecond");
        }
    }

    private static Series user(Run run) {
        return new Series(run.counted().stream()
                .filter(sample -> sample.measured().systemSeconds().isPresent())
                .map(sample -> sample.measured().cpuSeconds()
                        - sample.measured().systemSeconds().getAsDouble())
                .toList());
    }

    private static Series system(Run run) {
        return new Series(run.counted().stream()
                .map(sample -> sample.measured().systemSeconds())
                .filter(OptionalDouble::isPresent)
                .map(OptionalDouble::getAsDouble)
                .toList());
    }

    /** Of one round, as the operations are: of the round that went worst. */
    private static void outcomes(ObjectNode node, Run run) {
        var worst = run.counted().stream().map(Sample::outcomes).min(Comparator.comparingLong(Outcomes::ok));
        if (worst.isEmpty()) {
            node.putNull("outcomes");
            return;
        }
        var worstRound = worst.get();
        write(node.putObject("outcomes"), worstRound);
    }

    private static void write(ObjectNode node, Outcomes outcomes) {
        node.put("ok", outcomes.ok());
        node.put("error", outcomes.error());
        node.put("timedOut", outcomes.timedOut());
        node.put("refused", outcomes.refused());
        node.put("lost", outcomes.lost());
    }

    private static String note(Run run) {
        var note = new StringBuilder(run.contender().note());
        var share = Figure.SERVER_SHARE.of(run).median();
        run.remark().ifPresent(remark -> note.append("; ").append(remark));
        share.ifPresent(value -> note.append(String.format(Locale.ROOT, "; server busy %.3f of the wall time", value)));
        run.failure().ifPresent(failure -> note.append("; FAILED: ").append(failure));
        return note.toString();
    }

    private static void put(ObjectNode node, String name, OptionalDouble value, int places) {
        if (value.isPresent() && Double.isFinite(value.getAsDouble())) {
            node.put(name, rounded(value.getAsDouble(), places));
        } else {
            node.putNull(name);
        }
    }

    private static double rounded(double value, int places) {
        double scale = Math.pow(10, places);
        return Math.round(value * scale) / scale;
    }

    private JsonReport() {}
}
