// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import io.millrace.lab.run.Bar.Base;
import io.millrace.lab.run.Bar.Verdict;
import io.millrace.lab.run.Figure;
import io.millrace.lab.run.Run;
import io.millrace.lab.run.Series;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/** Runs and verdicts as text for people. */
public final class Tables {

    private static final List<String> RUN_HEADER = List.of(
            "workload",
            "contender",
            "median s",
            "spread s",
            "per second",
            "client CPU us/op",
            "server busy",
            "verified");
    private static final List<String> VERDICT_HEADER = List.of("figure", "median", "spread", "ratio", "bar", "held");

    /** One line for each contender of each workload, then notes. */
    public static String runs(List<Run> runs) {
        var table = new TextTable(RUN_HEADER, 2);
        var notes = new ArrayList<String>();
        for (var run : runs) {
            table.add(row(run));
            var note = run.workload().name() + ", " + run.contender().label() + ": "
                    + run.contender().note();
            notes.add(run.contender()
                    .unfair()
                    .map(why -> note + "; unfair: " + why)
                    .orElse(note));
            run.failure().ifPresent(failure -> notes.add(run.contender().label() + " FAILED: " + failure));
        }
        return table + "\n" + String.join("\n", notes) + "\n";
    }

    private static List<String> row(Run run) {
        var wall = Figure.WALL.of(run);
        return List.of(
                run.workload().name(),
                run.contender().label(),
                text(wall.median(), "%.3f"),
                spread(wall, "%.3f"),
                wall.median().isPresent()
                        ? String.format(
                                Locale.ROOT,
                                "%,.0f",
                                run.medianOperations() / wall.median().getAsDouble())
                        : "-",
                text(Figure.CPU_MICROS.of(run).median(), "%.3f"),
                text(Figure.SERVER_SHARE.of(run).median(), "%.3f"),
                run.verified() ? "yes" : "NO");
    }

    /** One line for each promise. */
    public static String verdicts(List<WorkloadVerdict> verdicts) {
        var table = new TextTable(VERDICT_HEADER, 1);
        verdicts.forEach(verdict -> table.add(row(verdict)));
        return table.toString();
    }

    /** A verdict and the name of the workload it is about. */
    public record WorkloadVerdict(String workload, Verdict verdict) {}

    private static List<String> row(WorkloadVerdict named) {
        var verdict = named.verdict();
        var bar = verdict.bar();
        var about = named.workload() + ": " + bar.name() + ", " + bar.contender()
                + bar.base().map(base -> base(base, verdict)).orElse("");
        boolean ratio = bar.base().isPresent();
        return List.of(
                about,
                text(verdict.median(), verdict.median().orElse(0) < 1_000 ? "%.3f" : "%,.0f"),
                spread(verdict.perRound(), "%.2f"),
                ratio ? text(verdict.value(), "%.3f") : "",
                bar.bound().map(Object::toString).orElse(""),
                verdict.held().map(held -> held ? "yes" : "NO").orElse(""));
    }

    private static String base(Base base, Verdict verdict) {
        var labels = String.join(" or ", base.contenders());
        return base.contenders().size() == 1
                ? " to " + labels
                : " to "
                        + verdict.against()
                                .map(best -> best + ", the best peer")
                                .orElse(labels);
    }

    private static String spread(Series series, String format) {
        return series.values().isEmpty() ? "-" : text(series.min(), format) + " to " + text(series.max(), format);
    }

    private static String text(OptionalDouble value, String format) {
        return value.isPresent() ? String.format(Locale.ROOT, format, value.getAsDouble()) : "not measured";
    }

    private Tables() {}
}
