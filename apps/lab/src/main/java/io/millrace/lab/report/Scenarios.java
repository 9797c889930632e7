// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import io.millrace.lab.experiment.WaitingTasks;
import io.millrace.lab.run.Run;
import io.millrace.lab.tasks.Scenario;
import java.util.List;
import java.util.stream.Stream;

/** The scenarios of tasks that runs went through. */
final class Scenarios {

    /**
     * A scenario with its waits.
     *
     * @param seed they were drawn from
     */
    record Drawn(long seed, Scenario scenario) {}

    /** Each once: one for each number of producers. */
    static List<Drawn> of(List<Run> runs) {
        return runs.stream().flatMap(Scenarios::of).distinct().toList();
    }

    private static Stream<Drawn> of(Run run) {
        return run.workload() instanceof WaitingTasks waiting
                ? waiting.scenario(run).map(scenario -> new Drawn(waiting.seed(), scenario)).stream()
                : Stream.empty();
    }

    private Scenarios() {}
}
