// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import io.millrace.lab.run.Durations;
import io.millrace.lab.run.Run;
import io.millrace.lab.run.Second;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Findings as text for people. */
public final class LabTables {

    private static final List<String> SECONDS = List.of(
            "second", "iterations", "ok", "errors", "timeouts", "refused", "lost", "pending", "server commands");
    private static final List<String> POINTS =
            List.of("value", "per second", "spread", "client CPU us/op", "server busy", "");

    /**
     * A table for each experiment and round trip, what happened second by second, curves, settings, and who is missing.
     */
    public static String of(Findings findings) {
        var text = new StringBuilder();
        // What was swept is shown as a curve.
        var swept = findings.curves().stream().map(Curve::experiment).toList();
        var shown = findings.runs().stream()
                .filter(run -> !swept.contains(run.workload().experiment()))
                .toList();
        families(shown)
                .forEach((family, members) -> text.append(family)
                        .append("\n\n")
                        .append(runs(members, findings.runs()))
                        .append('\n')
                        .append(seconds(members))
                        .append(TaskTables.of(members))
                        .append(notes(members)));
        findings.curves().forEach(curve -> text.append(curve(curve)).append('\n'));
        for (var missing : findings.missing()) {
            text.append("missing: ")
                    .append(missing.contender())
                    .append(": ")
                    .append(missing.why())
                    .append('\n');
        }
        findings.settings()
                .forEach(setting -> text.append("for ")
                        .append(setting.forWhom())
                        .append(":\n  ")
                        .append(setting.text())
                        .append('\n'));
        return text.toString();
    }

    private static Map<String, List<Run>> families(List<Run> runs) {
        return runs.stream()
                .collect(Collectors.groupingBy(
                        run -> run.workload().name() + at(run.roundTrip()), LinkedHashMap::new, Collectors.toList()));
    }

    private static String at(Duration roundTrip) {
        return roundTrip.isZero() ? "" : ", " + Durations.text(roundTrip) + " added to each round trip";
    }

    private static String runs(List<Run> runs, List<Run> all) {
        var columns = new RunColumns(runs, all);
        var table = new TextTable(columns.heads(), 2);
        runs.forEach(run -> table.add(columns.row(run)));
        return table.toString();
    }

    private static String seconds(List<Run> runs) {
        var text = new StringBuilder();
        for (var run : runs) {
            if (!run.seconds().isEmpty()) {
                var table = new TextTable(SECONDS, 0);
                run.seconds().forEach(second -> table.add(row(second)));
                text.append(run.workload().variant(run.contender()))
                        .append(", ")
                        .append(run.contender().name())
                        .append(", the last round second by second:\n")
                        .append(table)
                        .append('\n');
            }
        }
        return text.toString();
    }

    private static List<String> row(Second second) {
        var cells = new ArrayList<String>();
        cells.add(Integer.toString(second.second()));
        var outcomes = second.outcomes();
        for (long count : new long[] {
            second.iterations(),
            outcomes.ok(),
            outcomes.error(),
            outcomes.timedOut(),
            outcomes.refused(),
            outcomes.lost(),
            second.pending()
        }) {
            cells.add(String.format(Locale.ROOT, "%,d", count));
        }
        cells.add(second.serverCommands() < 0 ? "-" : String.format(Locale.ROOT, "%,d", second.serverCommands()));
        return cells;
    }

    /** What has to be known of each contender, said once for all variants of which it is true; and what went wrong. */
    private static String notes(List<Run> runs) {
        var variants = runs.stream()
                .collect(Collectors.groupingBy(
                        LabTables::note,
                        LinkedHashMap::new,
                        Collectors.mapping(run -> run.workload().variant(run.contender()), Collectors.joining(", "))));
        var text = new StringBuilder();
        variants.forEach(
                (note, names) -> text.append(note).append(" (").append(names).append(")\n"));
        for (var run : runs) {
            var label = run.workload().variant(run.contender()) + ", "
                    + run.contender().name();
            run.failure()
                    .ifPresent(failure -> text.append(label)
                            .append(" FAILED: ")
                            .append(failure)
                            .append('\n'));
            run.samples().stream()
                    .filter(sample -> !sample.complaints().isEmpty())
                    .findFirst()
                    .ifPresent(sample -> text.append(label)
                            .append(", WRONG DATA: ")
                            .append(String.join("; ", sample.complaints()))
                            .append('\n'));
            run.remark()
                    .ifPresent(remark ->
                            text.append(label).append(": ").append(remark).append('\n'));
        }
        return text.append('\n').toString();
    }

    private static String note(Run run) {
        return run.contender().name() + ": " + run.contender().note()
                + run.contender().unfair().map(why -> "; unfair: " + why).orElse("");
    }

    private static String curve(Curve curve) {
        var table = new TextTable(POINTS, 0);
        for (var point : curve.points()) {
            table.add(List.of(
                    String.format(Locale.ROOT, "%,d", point.value()),
                    RunColumns.text(point.perSecond().median(), "%,.0f"),
                    RunColumns.spread(point.perSecond(), "%,.0f"),
                    String.format(Locale.ROOT, "%.2f", point.cpuMicros()),
                    String.format(Locale.ROOT, "%.2f", point.serverBusy()),
                    marks(curve, point.value())));
        }
        return curve.title() + at(curve.roundTrip())
                + (curve.held().isEmpty() ? "" : ", with " + new TreeMap<>(curve.held())) + "\n\n" + table
                + "recommended: " + curve.recommended() + "; bottleneck there: " + curve.bottleneck() + " ("
                + curve.why()
                + ")\n";
    }

    private static String marks(Curve curve, long value) {
        var marks = new ArrayList<String>();
        if (value == curve.best()) {
            marks.add("best");
        }
        if (value == curve.knee()) {
            marks.add("knee");
        }
        if (value == curve.recommended()) {
            marks.add("recommended");
        }
        return String.join(", ", marks);
    }

    private LabTables() {}
}
