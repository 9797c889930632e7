// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/** The approaches that {@code java.util.concurrent} has: the baseline of the libraries. */
final class JdkApproaches {

    private static final int BUFFER = 1_000;

    /** Follows the last task in the queue, once for each consumer. */
    private static final int END = -1;

    private JdkApproaches() {}

    static Optional<Approach> of(ApproachMode mode) {
        return switch (mode) {
            case BATCH -> Optional.of(JdkApproaches::batchByBatch);
            case BLOCKING_QUEUE, TWO_PRODUCERS_QUEUE, TEN_PRODUCERS -> Optional.of(JdkApproaches::blockingQueue);
            case WORK_STEALING -> Optional.of(JdkApproaches::workStealing);
            default -> Optional.empty();
        };
    }

    private static void batchByBatch(TaskScenario scenario, Approach.Observer observer) throws Exception {
        try (ExecutorService consumers = Executors.newFixedThreadPool(
                scenario.consumers(), Thread.ofVirtual().factory())) {
            for (int batch = 0; batch < scenario.batches(); batch++) {
                awaitAll(consumers.invokeAll(scenario.blockProducer(batch, observer).stream()
                        .<Callable<Integer>>map(task -> () -> scenario.blockConsumer(task, observer))
                        .toList()));
            }
        }
    }

    private static void blockingQueue(TaskScenario scenario, Approach.Observer observer) throws Exception {
        var queue = new ArrayBlockingQueue<Integer>(BUFFER);
        var producing = new AtomicInteger(scenario.producers());
        List<Callable<Integer>> parts = new ArrayList<>();
        for (int number = 0; number < scenario.producers(); number++) {
            int producer = number;
            parts.add(() -> {
                try {
                    return produce(scenario, observer, producer, queue::put);
                } finally {
                    boolean isLast = producing.decrementAndGet() == 0;
                    for (int i = 0; isLast && i < scenario.consumers(); i++) {
                        queue.put(END);
                    }
                }
            });
        }
        parts.addAll(Collections.nCopies(scenario.consumers(), () -> {
            for (int task = queue.take(); task != END; task = queue.take()) {
                scenario.blockConsumer(task, observer);
            }
            return END;
        }));
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            awaitAll(threads.invokeAll(parts));
        }
    }

    private static void workStealing(TaskScenario scenario, Approach.Observer observer) throws Exception {
        var free = new Semaphore(BUFFER + scenario.consumers());
        List<Future<Integer>> all = new ArrayList<>();
        try (ExecutorService pool = Executors.newWorkStealingPool(scenario.consumers())) {
            int unused = produce(scenario, observer, 0, task -> {
                free.acquire();
                all.add(pool.submit(() -> {
                    scenario.blockConsumer(task, observer);
                    free.release();
                    return task;
                }));
            });
            awaitAll(all);
        }
    }

    private interface TaskSink {
        void accept(int task) throws InterruptedException;
    }

    private static int produce(TaskScenario scenario, Approach.Observer observer, int producer, TaskSink sink)
            throws InterruptedException {
        for (int batch : scenario.batchesOf(producer).toArray()) {
            for (int task : scenario.blockProducer(batch, observer)) {
                sink.accept(task);
            }
        }
        return END;
    }

    private static void awaitAll(List<Future<Integer>> futures) throws Exception {
        for (Future<Integer> future : futures) {
            future.get();
        }
    }
}
