// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.broken;

import io.millrace.lab.contender.Callers;
import io.millrace.lab.tasks.Approach;
import io.millrace.lab.tasks.Machinery;
import io.millrace.lab.tasks.Observer;
import io.millrace.lab.tasks.Plan;
import io.millrace.lab.tasks.Scenario;
import io.millrace.lab.tasks.TaskLibrary;
import java.util.Map;
import java.util.function.LongConsumer;

/** A library whose approaches and machineries are wrong, each in a way of its own. */
public final class BrokenTasks implements TaskLibrary {

    @Override
    public String name() {
        return "broken-tasks";
    }

    @Override
    public Map<Plan, Described<Approach>> approaches() {
        return Map.of(
                Plan.BATCH, new Described<>((scenario, observer) -> run(scenario, observer, 1, 0), "loses a task"),
                Plan.BLOCKING_QUEUE,
                        new Described<>((scenario, observer) -> run(scenario, observer, 0, 1), "does a task twice"),
                Plan.UNORDERED,
                        new Described<>((scenario, observer) -> run(scenario, observer, 0, 0), "consumes all at once"),
                Plan.WORK_STEALING, new Described<>(BrokenTasks::fail, "throws"));
    }

    /** A virtual thread for each task, however many there are. */
    private static void run(Scenario scenario, Observer observer, int lost, int doubled) throws Exception {
        for (int batch = 0; batch < scenario.batches(); batch++) {
            Thread.sleep(scenario.produce());
            observer.produced(batch);
        }
        Callers.VIRTUAL.run(scenario.tasks() - lost, task -> {
            Thread.sleep(scenario.consume().get(task));
            observer.consumed(task);
            if (task < doubled) {
                observer.consumed(task);
            }
        });
    }

    private static void fail(Scenario scenario, Observer observer) {
        if (scenario.tasks() > 0) {
            throw new IllegalStateException("no thief is to be had");
        }
        observer.produced(0);
    }

    @Override
    public Map<String, Described<Machinery>> machineries() {
        return Map.of("", new Described<>(BrokenTasks::mix, "hands the first number over in the place of the last"));
    }

    private static void mix(int producers, int consumers, long tasks, LongConsumer work) {
        for (long n = 0; n < tasks; n++) {
            work.accept(n == tasks - 1 ? 0 : n);
        }
    }
}
