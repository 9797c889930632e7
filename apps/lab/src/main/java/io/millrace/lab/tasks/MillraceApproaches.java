// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import io.millrace.tasks.Outcome;
import io.millrace.tasks.Results;
import io.millrace.tasks.Source;
import io.millrace.tasks.TaskFlow;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.PrimitiveIterator;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The approaches as flows of Millrace. */
final class MillraceApproaches {

    private static final int BUFFER = 1_000;

    /** Follows the last task in the queue. */
    private static final int END = -1;

    private MillraceApproaches() {}

    static Optional<Approach> of(ApproachMode mode) {
        Approach approach = switch (mode) {
            case BATCH -> MillraceApproaches::batchByBatch;
            case BLOCKING_QUEUE -> MillraceApproaches::blockingQueue;
            case NONBLOCKING_QUEUE, TWO_PRODUCERS_QUEUE, TEN_PRODUCERS ->
                (scenario, observer) -> {
                    var unused =
                            flow(scenario, observer, BUFFER, 0).run(task -> scenario.blockConsumer(task, observer));
                };
            case WORK_STEALING ->
                (scenario, observer) -> {
                    var unused = flow(scenario, observer, BUFFER, 0)
                            .workStealing()
                            .run(task -> scenario.blockConsumer(task, observer));
                };
            case UNORDERED ->
                (scenario, observer) -> readAll(
                        flow(scenario, observer, BUFFER, 0).results(task -> scenario.blockConsumer(task, observer)));
            case STREAM_ORDERED, STREAM_ORDERED_PREFETCH, STREAM_ORDERED_LARGE, TWO_PRODUCERS_STREAMS ->
                (scenario, observer) ->
                        readAll(flow(scenario, observer, mode.window() - scenario.consumers(), mode.batchesAhead())
                                .orderedResults(task -> scenario.blockConsumer(task, observer)));
        };
        return Optional.of(approach);
    }

    private static void batchByBatch(TaskScenario scenario, Approach.Observer observer) throws InterruptedException {
        for (int batch = 0; batch < scenario.batches(); batch++) {
            var unused = TaskFlow.of(scenario.blockProducer(batch, observer))
                    .consumers(scenario.consumers())
                    .run(task -> scenario.blockConsumer(task, observer));
        }
    }

    /** The flows have minimum buffers, because the queue between them is the buffer. */
    private static void blockingQueue(TaskScenario scenario, Approach.Observer observer) throws Exception {
        var queue = new ArrayBlockingQueue<Integer>(BUFFER);
        Source<Integer> takes = () -> {
            int task = queue.take();
            return task == END ? List.of() : List.of(task);
        };
        try (var filling = flow(scenario, observer, 1, 0).consumers(1).start(queue::put);
                var consuming = TaskFlow.from(takes)
                        .buffer(1)
                        .consumers(scenario.consumers())
                        .start(task -> scenario.blockConsumer(task, observer))) {
            filling.await();
            queue.put(END);
            consuming.await();
        }
    }

    /** A flow with one source for each producer. */
    private static TaskFlow<Integer> flow(
            TaskScenario scenario, Approach.Observer observer, int buffer, int batchesAhead) {
        List<Source<Integer>> sources = IntStream.range(0, scenario.producers())
                .mapToObj(producer -> source(scenario, observer, producer))
                .map(source -> batchesAhead == 0 ? source : new PrefetchingSource(source, batchesAhead))
                .toList();
        return TaskFlow.from(sources).buffer(buffer).consumers(scenario.consumers());
    }

    private static Source<Integer> source(TaskScenario scenario, Approach.Observer observer, int producer) {
        PrimitiveIterator.OfInt batches = scenario.batchesOf(producer).iterator();
        return () -> batches.hasNext() ? scenario.blockProducer(batches.nextInt(), observer) : List.of();
    }

    /** Throws the exception of the flow after the last outcome if a task or a source has failed. */
    private static void readAll(Results<Integer, Integer> results) {
        try (results;
                Stream<Outcome<Integer, Integer>> outcomes = results.stream()) {
            outcomes.forEach(outcome -> {});
        }
    }

    /**
     * Fetches batches in advance, in another thread. A flow with ordered results has one window for tasks and
     * results. With this source, the flow fetches as many batches before the window as fs2 does with {@code prefetch}.
     */
    private static final class PrefetchingSource implements Source<Integer> {

        private final Source<Integer> source;
        private final int batchesAhead;
        private final ExecutorService fetcher =
                Executors.newSingleThreadExecutor(Thread.ofVirtual().factory());
        private final Queue<Future<List<Integer>>> fetched = new ArrayDeque<>();

        PrefetchingSource(Source<Integer> source, int batchesAhead) {
            this.source = source;
            this.batchesAhead = batchesAhead;
        }

        @Override
        public List<Integer> next() throws InterruptedException, ExecutionException {
            while (fetched.size() <= batchesAhead) {
                fetched.add(fetcher.submit(source::next));
            }
            return fetched.remove().get();
        }

        @Override
        public void close() {
            fetcher.shutdownNow();
            fetcher.close();
        }
    }
}
