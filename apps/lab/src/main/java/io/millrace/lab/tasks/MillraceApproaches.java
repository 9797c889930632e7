// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import io.millrace.lab.tasks.TaskLibrary.Described;
import io.millrace.tasks.Outcome;
import io.millrace.tasks.Results;
import io.millrace.tasks.Source;
import io.millrace.tasks.TaskFlow;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The approaches as flows of Millrace. */
final class MillraceApproaches {

    private static final Described FLOW = new Described(
            (scenario, observer) -> run(scenario, observer, UnaryOperator.identity()),
            "TaskFlow.from(sources).buffer(1_000).run()");

    static final TaskLibrary LIBRARY = new TaskLibrary(
            "millrace",
            "docs/tasks.md",
            Map.ofEntries(
                    Map.entry(
                            ApproachMode.BATCH,
                            new Described(MillraceApproaches::batchByBatch, "TaskFlow.of(batch).run() for each batch")),
                    Map.entry(
                            ApproachMode.BLOCKING_QUEUE,
                            new Described(
                                    MillraceApproaches::blockingQueue,
                                    "one flow into an ArrayBlockingQueue of 1,000, another flow from this queue")),
                    Map.entry(ApproachMode.NONBLOCKING_QUEUE, FLOW),
                    Map.entry(ApproachMode.STREAM_ORDERED, ordered(ApproachMode.SMALL_WINDOW, 0)),
                    Map.entry(ApproachMode.STREAM_ORDERED_PREFETCH, ordered(ApproachMode.SMALL_WINDOW, 3)),
                    Map.entry(ApproachMode.STREAM_ORDERED_LARGE, ordered(ApproachMode.LARGE_WINDOW, 0)),
                    Map.entry(ApproachMode.TWO_PRODUCERS_QUEUE, FLOW),
                    Map.entry(ApproachMode.TWO_PRODUCERS_STREAMS, ordered(ApproachMode.SMALL_WINDOW, 1)),
                    Map.entry(
                            ApproachMode.UNORDERED,
                            new Described(
                                    MillraceApproaches::unordered, "TaskFlow.from(sources).buffer(1_000).results()")),
                    Map.entry(ApproachMode.TEN_PRODUCERS, FLOW),
                    Map.entry(
                            ApproachMode.WORK_STEALING,
                            new Described(
                                    (scenario, observer) -> run(scenario, observer, TaskFlow::workStealing),
                                    "TaskFlow.from(sources).buffer(1_000).workStealing().run()"))));

    private static final int BUFFER = 1_000;

    /** Follows the last task in the queue. */
    private static final int END = -1;

    private MillraceApproaches() {}

    private static void batchByBatch(TaskScenario scenario, TaskObserver observer) throws Exception {
        Source<Integer> batches = sources(scenario, observer).getFirst();
        for (List<Integer> batch = batches.next(); !batch.isEmpty(); batch = batches.next()) {
            var unused =
                    TaskFlow.of(batch).consumers(scenario.consumers()).run(task -> consume(scenario, observer, task));
        }
    }

    private static void blockingQueue(TaskScenario scenario, TaskObserver observer) throws Exception {
        var queue = new ArrayBlockingQueue<Integer>(BUFFER);
        Source<Integer> takes = () -> {
            int task = queue.take();
            return task == END ? List.of() : List.of(task);
        };
        // The flows have minimum buffers, because the queue between them is the buffer.
        var batches = TaskFlow.from(sources(scenario, observer)).buffer(1).consumers(1);
        try (var filling = batches.start(queue::put);
                var consuming = TaskFlow.from(takes)
                        .buffer(1)
                        .consumers(scenario.consumers())
                        .start(task -> consume(scenario, observer, task))) {
            filling.await();
            queue.put(END);
            consuming.await();
        }
    }

    private static void run(
            TaskScenario scenario, TaskObserver observer, UnaryOperator<TaskFlow<Integer>> distribution) {
        var unused = distribution
                .apply(TaskFlow.from(sources(scenario, observer)).buffer(BUFFER).consumers(scenario.consumers()))
                .run(task -> consume(scenario, observer, task));
    }

    /** The window of ordered results is the buffer plus the consumers. */
    private static Described ordered(int window, int batchesAhead) {
        Approach approach = (scenario, observer) -> {
            List<Source<Integer>> sources = sources(scenario, observer).stream()
                    .map(source -> batchesAhead == 0 ? source : new PrefetchingSource<>(source, batchesAhead))
                    .toList();
            readAll(TaskFlow.from(sources)
                    .buffer(window - scenario.consumers())
                    .consumers(scenario.consumers())
                    .orderedResults(task -> consumed(scenario, observer, task)));
        };
        String note = "TaskFlow.from(sources).buffer(" + (window - Pace.CONSUMERS) + ").orderedResults()";
        return new Described(
                approach,
                batchesAhead == 0
                        ? note
                        : note + ", batches fetched in advance by a thread of each source: " + batchesAhead);
    }

    private static void unordered(TaskScenario scenario, TaskObserver observer) {
        readAll(TaskFlow.from(sources(scenario, observer))
                .buffer(BUFFER)
                .consumers(scenario.consumers())
                .results(task -> consumed(scenario, observer, task)));
    }

    /** Throws the exception of the flow after the last outcome if a task or a source has failed. */
    private static void readAll(Results<Integer, Integer> results) {
        try (results;
                Stream<Outcome<Integer, Integer>> outcomes = results.stream()) {
            outcomes.forEach(outcome -> {});
        }
    }

    /** One source for each producer. */
    private static List<Source<Integer>> sources(TaskScenario scenario, TaskObserver observer) {
        return IntStream.range(0, scenario.producers())
                .<Source<Integer>>mapToObj(producer -> new Batches(scenario, observer, producer))
                .toList();
    }

    private static int consumed(TaskScenario scenario, TaskObserver observer, int task) throws InterruptedException {
        consume(scenario, observer, task);
        return task;
    }

    private static void consume(TaskScenario scenario, TaskObserver observer, int task) throws InterruptedException {
        Thread.sleep(scenario.consume().get(task));
        observer.consumed(task);
    }

    /** A producer. Used by one thread at a time. */
    private static final class Batches implements Source<Integer> {

        private final TaskScenario scenario;
        private final TaskObserver observer;
        private int next;

        Batches(TaskScenario scenario, TaskObserver observer, int producer) {
            this.scenario = scenario;
            this.observer = observer;
            this.next = producer;
        }

        @Override
        public List<Integer> next() throws InterruptedException {
            if (next >= scenario.batches()) {
                return List.of();
            }
            Thread.sleep(scenario.produce());
            observer.produced(next);
            List<Integer> batch = scenario.batch(next);
            next += scenario.producers();
            return batch;
        }
    }
}
