// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import io.millrace.lab.contender.MillraceCommand;
import io.millrace.lab.run.Figure;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.Run;
import io.millrace.lab.run.Sample;
import io.millrace.lab.run.Series;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Runs as one JSON object, of the same form for everything the lab measures. What is not known is null. */
public final class JsonReport {

    /** The object, over several lines. */
    public static String of(Environment environment, List<Run> runs) {
        var root = JsonMapper.shared().createObjectNode();
        write(root.putObject("environment"), environment);
        var results = root.putArray("results");
        for (var run : runs) {
            write(results.addObject(), run, run.contender().variant(), Figure.WALL);
            var own = Figure.own(MillraceCommand.SECONDS);
            if (!own.of(run).values().isEmpty()) {
                write(results.addObject(), run, run.contender().variant() + "-own-seconds", own);
            }
        }
        return JsonMapper.shared().writerWithDefaultPrettyPrinter().writeValueAsString(root);
    }

    private static void write(ObjectNode node, Environment environment) {
        node.put("date", environment.date().toString());
        node.put("commit", environment.commit().orElse(null));
        node.put("java", environment.java());
        node.put("cpu", environment.cpu().orElse(null));
        node.put("cores", environment.cores());
        node.put("server", environment.server());
        var versions = node.putObject("versions");
        environment.versions().forEach(versions::put);
    }

    private static void write(ObjectNode node, Run run, String variant, Figure wallFigure) {
        var wall = wallFigure.of(run);
        node.put("experiment", run.workload().name());
        node.put("variant", variant);
        node.put("contender", run.contender().name());
        node.put("rttMillis", 0.0); // loopback, nothing added
        node.put("operations", run.medianOperations());
        var walls = node.putArray("wallSeconds");
        wall.values().forEach(seconds -> walls.add(rounded(seconds, 6)));
        put(node, "medianWallSeconds", wall.median(), 6);
        perSecond(node, run.medianOperations(), wall.median());
        put(node, "userSeconds", user(run).median(), 6);
        put(node, "systemSeconds", system(run).median(), 6);
        put(node, "cpuMicrosPerOperation", Figure.CPU_MICROS.of(run).median(), 4);
        node.put("verified", run.verified());
        outcomes(node, run);
        node.putNull("idealSeconds");
        node.put("unfair", run.contender().unfair().orElse(null));
        node.put("note", note(run));
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
        var outcomes = node.putObject("outcomes");
        outcomes.put("ok", worstRound.ok());
        outcomes.put("error", worstRound.error());
        outcomes.put("timedOut", worstRound.timedOut());
        outcomes.put("refused", worstRound.refused());
        outcomes.put("lost", worstRound.lost());
    }

    private static String note(Run run) {
        var note = new StringBuilder(run.contender().note());
        var share = Figure.SERVER_SHARE.of(run).median();
        share.ifPresent(value -> note.append(String.format(Locale.ROOT, "; server busy %.3f of the wall time", value)));
        run.failure().ifPresent(failure -> note.append("; FAILED: ").append(failure));
        return note.toString();
    }

    private static void put(ObjectNode node, String name, OptionalDouble value, int places) {
        if (value.isPresent()) {
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
