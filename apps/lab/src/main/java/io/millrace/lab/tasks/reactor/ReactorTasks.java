// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks.reactor;

import io.millrace.lab.tasks.Approach;
import io.millrace.lab.tasks.Machinery;
import io.millrace.lab.tasks.Plan;
import io.millrace.lab.tasks.TaskLibrary;
import java.util.Map;

/** Reactor, without Spring. */
public final class ReactorTasks implements TaskLibrary {

    @Override
    public String name() {
        return "reactor";
    }

    @Override
    public Map<Plan, Described<Approach>> approaches() {
        return Described.approaches(
                ReactorApproaches.all(),
                Map.ofEntries(
                        Map.entry("batch", "concatMap over batches, flatMap over the tasks of each"),
                        Map.entry("stream-ordered-prefetch", "flatMapSequential, a batch fetched ahead"),
                        Map.entry(
                                "two-producers-streams",
                                "flatMap over the producers, flatMapSequential over their tasks"),
                        Map.entry("unordered", "flatMap"),
                        Map.entry("ten-producers", "flatMap over the producers, flatMap over their tasks")));
    }

    @Override
    public Map<String, Described<Machinery>> machineries() {
        return Described.each(
                ReactorMachineries.all(),
                Map.of("parallel", "parallel and runOn", "flat-map", "flatMap with a subscribeOn for each task"));
    }
}
