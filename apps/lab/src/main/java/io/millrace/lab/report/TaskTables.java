// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import io.millrace.lab.experiment.WaitingTasks;
import io.millrace.lab.run.Run;
import io.millrace.lab.tasks.Ideal;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** What stands below a table of runs that handed over tasks: where the ideal comes from, and the rhythm of each. */
final class TaskTables {

    /** Of all of {@code runs}, which are of one workload; empty if they are about something else. */
    static String of(List<Run> runs) {
        return leftOut(runs) + ideals(runs) + rhythms(runs);
    }

    private static String leftOut(List<Run> runs) {
        return runs.stream().anyMatch(run -> run.workload() instanceof WaitingTasks waiting && waiting.glance())
                ? "a quick look at everything: name e4 to have all approaches\n"
                : "";
    }

    private static String ideals(List<Run> runs) {
        var drawn = Scenarios.of(runs);
        return drawn.isEmpty()
                ? ""
                : drawn.stream()
                        .map(one -> String.format(
                                Locale.ROOT,
                                "%.3f s with %d %s",
                                Ideal.of(one.scenario()).toNanos() / 1e9,
                                one.scenario().producers(),
                                one.scenario().producers() == 1 ? "producer" : "producers"))
                        .collect(Collectors.joining(
                                ", ",
                                "ideal: ",
                                "; waits drawn from seed " + drawn.getFirst().seed() + "\n\n"));
    }

    private static String rhythms(List<Run> runs) {
        var table = new TextTable(List.of("rhythm", "", "P: a batch is there; C: so many more tasks are done"), 3);
        var traced = runs.stream().filter(run -> run.trace().isPresent()).toList();
        traced.forEach(run -> table.add(List.of(
                run.workload().variant(run.contender()),
                run.contender().name(),
                run.trace()
                        .map(trace -> trace.letters() + "  C=" + trace.tasksPerMark())
                        .orElse(""))));
        return traced.isEmpty() ? "" : table + "\n";
    }

    private TaskTables() {}
}
