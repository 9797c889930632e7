// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import io.millrace.lab.run.Figure;
import io.millrace.lab.run.Run;
import io.millrace.lab.run.Sample;
import io.millrace.lab.run.Series;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.function.Function;

/** The columns of a table of runs: those that all have, and those that some experiments need. */
final class RunColumns {

    /** A column, and how a run's cell in it reads. */
    private record Column(String head, Function<Run, String> cell) {}

    private final List<Column> columns = new ArrayList<>();

    /**
     * Columns for {@code runs}, which are of one workload.
     *
     * @param all for factors
     */
    RunColumns(List<Run> runs, List<Run> all) {
        add("variant", run -> run.workload().variant(run.contender()));
        add("contender", run -> run.contender().name());
        add("operations", run -> String.format(Locale.ROOT, "%,d", run.medianOperations()));
        add("wall s", run -> text(Figure.WALL.of(run).median(), "%.3f"));
        add("spread s", run -> spread(Figure.WALL.of(run), "%.3f"));
        if (runs.stream().anyMatch(run -> ideal(run).isPresent())) {
            add("ideal s", run -> text(ideal(run), "%.3f"));
            add("over ideal %", run -> text(overIdeal(run), "%.1f"));
        }
        runs.getFirst()
                .workload()
                .figures()
                .forEach((head, figure) -> add(head, run -> text(figure.of(run).median(), "%,.0f")));
        add("user s", run -> text(run.series(RunColumns::userSeconds).median(), "%.3f"));
        add("system s", run -> text(run.series(RunColumns::systemSeconds).median(), "%.3f"));
        add("CPU %", run -> text(cpuPercent(run), "%.0f"));
        add("per second", run -> text(Figure.PER_SECOND.of(run).median(), "%,.0f"));
        add("factor", run -> text(Factors.of(run, all), "%.2f"));
        if (runs.getFirst().workload().needsServer()) {
            add("server busy", run -> text(Figure.SERVER_SHARE.of(run).median(), "%.2f"));
        }
        add("verified", run -> run.verified() ? "yes" : "NO");
    }

    private void add(String head, Function<Run, String> cell) {
        columns.add(new Column(head, cell));
    }

    List<String> heads() {
        return columns.stream().map(Column::head).toList();
    }

    List<String> row(Run run) {
        return columns.stream().map(column -> column.cell().apply(run)).toList();
    }

    private static OptionalDouble ideal(Run run) {
        return run.workload().idealSeconds(run);
    }

    private static OptionalDouble overIdeal(Run run) {
        var ideal = ideal(run);
        var wall = Figure.WALL.of(run).median();
        return ideal.isPresent() && wall.isPresent()
                ? OptionalDouble.of(100 * (wall.getAsDouble() / ideal.getAsDouble() - 1))
                : OptionalDouble.empty();
    }

    private static OptionalDouble cpuPercent(Run run) {
        return run.series(sample -> 100 * sample.measured().cpuShare()).median();
    }

    private static double systemSeconds(Sample sample) {
        return sample.measured().systemSeconds().orElse(Double.NaN);
    }

    private static double userSeconds(Sample sample) {
        return Math.max(
                0, sample.measured().cpuSeconds() - systemSeconds(sample)); // one counts in ticks, the other does not
    }

    static String spread(Series series, String format) {
        return series.values().isEmpty() ? "-" : text(series.min(), format) + " to " + text(series.max(), format);
    }

    static String text(OptionalDouble value, String format) {
        return value.isPresent() && Double.isFinite(value.getAsDouble())
                ? String.format(Locale.ROOT, format, value.getAsDouble())
                : "-";
    }
}
