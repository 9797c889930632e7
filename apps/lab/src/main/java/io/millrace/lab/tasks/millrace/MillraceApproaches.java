// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks.millrace;

import io.millrace.lab.tasks.Observer;
import io.millrace.lab.tasks.Scenario;
import io.millrace.tasks.Outcome;
import io.millrace.tasks.Results;
import io.millrace.tasks.Source;
import io.millrace.tasks.TaskFlow;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;

/** The approaches as flows. How many producers there are is the scenario's to say. */
final class MillraceApproaches {

    /** Tasks, as in the buffers of the other libraries. */
    private static final int BUFFER = 1_000;

    /** Stands in a queue behind the last task. */
    private static final int END = -1;

    private MillraceApproaches() {}

    /** A flow for each batch. */
    static void batchByBatch(Scenario scenario, Observer observer) throws Exception {
        Source<Integer> batches = Batches.sources(scenario, observer).getFirst();
        for (List<Integer> batch = batches.next(); !batch.isEmpty(); batch = batches.next()) {
            var unused =
                    TaskFlow.of(batch).consumers(scenario.consumers()).run(task -> consume(scenario, observer, task));
        }
    }

    /** From a queue that somebody else fills, and which blocks. */
    static void blockingQueue(Scenario scenario, Observer observer) throws Exception {
        var queue = new ArrayBlockingQueue<Integer>(BUFFER);
        Source<Integer> batches = Batches.sources(scenario, observer).getFirst();
        try (var filling = TaskFlow.from(batches).name("filling").consumers(1).start(queue::put)) {
            Source<Integer> takes = () -> {
                int task = queue.take();
                return task == END ? List.of() : List.of(task);
            };
            try (var consuming = TaskFlow.from(takes)
                    .consumers(scenario.consumers())
                    .start(task -> consume(scenario, observer, task))) {
                filling.await();
                queue.put(END);
                consuming.await();
            }
        }
    }

    /** The flow as it is: its buffer blocks nobody that finds a task. */
    static void flow(Scenario scenario, Observer observer) {
        var unused = from(scenario, observer).run(task -> consume(scenario, observer, task));
    }

    static void workStealing(Scenario scenario, Observer observer) {
        var unused = from(scenario, observer).workStealing().run(task -> consume(scenario, observer, task));
    }

    /** No batch is fetched before the one before was taken. */
    static void ordered(Scenario scenario, Observer observer) throws Exception {
        read(from(scenario, observer).prefetch(1).orderedResults(task -> consumed(scenario, observer, task)));
    }

    static void orderedPrefetch(Scenario scenario, Observer observer) throws Exception {
        read(from(scenario, observer).orderedResults(task -> consumed(scenario, observer, task)));
    }

    static void unordered(Scenario scenario, Observer observer) throws Exception {
        read(from(scenario, observer).results(task -> consumed(scenario, observer, task)));
    }

    private static TaskFlow<Integer> from(Scenario scenario, Observer observer) {
        return TaskFlow.from(Batches.sources(scenario, observer)).buffer(BUFFER).consumers(scenario.consumers());
    }

    private static void read(Results<Integer, Integer> results) {
        try (results;
                var outcomes = results.stream()) {
            outcomes.filter(outcome -> !(outcome instanceof Outcome.Succeeded)).forEach(outcome -> {
                throw new IllegalStateException("a task was not done: " + outcome);
            });
        }
    }

    private static int consumed(Scenario scenario, Observer observer, int task) throws InterruptedException {
        consume(scenario, observer, task);
        return task;
    }

    private static void consume(Scenario scenario, Observer observer, int task) throws InterruptedException {
        Thread.sleep(scenario.consume().get(task));
        observer.consumed(task);
    }
}
