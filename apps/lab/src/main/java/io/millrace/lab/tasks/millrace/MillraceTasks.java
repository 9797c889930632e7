// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks.millrace;

import io.millrace.lab.tasks.Approach;
import io.millrace.lab.tasks.Machinery;
import io.millrace.lab.tasks.Plan;
import io.millrace.lab.tasks.TaskLibrary;
import io.millrace.tasks.TaskFlow;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Millrace: every plan as a flow. */
public final class MillraceTasks implements TaskLibrary {

    @Override
    public String name() {
        return "millrace";
    }

    @Override
    public Map<Plan, Described<Approach>> approaches() {
        var flow = new Described<Approach>(MillraceApproaches::flow, "TaskFlow.from(sources).run()");
        var approaches = new EnumMap<Plan, Described<Approach>>(Plan.class);
        approaches.put(
                Plan.BATCH,
                new Described<>(MillraceApproaches::batchByBatch, "TaskFlow.of(batch).run() for each batch"));
        approaches.put(
                Plan.BLOCKING_QUEUE,
                new Described<>(
                        MillraceApproaches::blockingQueue,
                        "one flow into an ArrayBlockingQueue, another whose source takes from it"));
        approaches.put(Plan.NONBLOCKING_QUEUE, flow);
        var ordered = new Described<Approach>(
                MillraceApproaches::ordered, "TaskFlow.from(sources).prefetch(1).orderedResults()");
        approaches.put(Plan.STREAM_ORDERED, ordered);
        approaches.put(
                Plan.STREAM_ORDERED_PREFETCH,
                new Described<>(MillraceApproaches::orderedPrefetch, "TaskFlow.from(sources).orderedResults()"));
        approaches.put(Plan.TWO_PRODUCERS_QUEUE, flow);
        approaches.put(Plan.TWO_PRODUCERS_STREAMS, ordered);
        approaches.put(
                Plan.UNORDERED, new Described<>(MillraceApproaches::unordered, "TaskFlow.from(sources).results()"));
        approaches.put(Plan.TEN_PRODUCERS, flow);
        approaches.put(
                Plan.WORK_STEALING,
                new Described<>(MillraceApproaches::workStealing, "TaskFlow.from(sources).workStealing().run()"));
        return approaches;
    }

    @Override
    public Map<String, Described<Machinery>> machineries() {
        return Map.of(
                "",
                new Described<>(
                        new MillraceMachinery(UnaryOperator.identity()),
                        "TaskFlow.run(), one queue for all consumers; sources give 100 tasks at a time"),
                "work-stealing",
                new Described<>(
                        new MillraceMachinery(TaskFlow::workStealing),
                        "TaskFlow.workStealing().run(), a queue for each consumer; sources give 100 tasks at a time"));
    }
}
