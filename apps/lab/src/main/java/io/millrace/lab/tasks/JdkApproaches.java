// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import io.millrace.lab.tasks.TaskLibrary.Described;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/** The approaches that {@code java.util.concurrent} has: the baseline of the libraries. */
final class JdkApproaches {

    private static final Described QUEUE = new Described(
            JdkApproaches::blockingQueue, "ArrayBlockingQueue of 1,000, a virtual thread for each consumer");

    static final TaskLibrary LIBRARY = new TaskLibrary(
            "jdk",
            "https://docs.oracle.com/en/java/javase/21/core/virtual-threads.html",
            Map.of(
                    ApproachMode.BATCH,
                    new Described(JdkApproaches::batchByBatch, "invokeAll on a pool of 100 virtual threads"),
                    ApproachMode.BLOCKING_QUEUE,
                    QUEUE,
                    ApproachMode.NONBLOCKING_QUEUE,
                    new Described(
                            JdkApproaches::nonBlockingQueue,
                            "ConcurrentLinkedQueue, and two Semaphores that limit it to 1,000 tasks; a virtual thread for"
                                    + " each consumer"),
                    ApproachMode.TWO_PRODUCERS_QUEUE,
                    QUEUE,
                    ApproachMode.TEN_PRODUCERS,
                    QUEUE,
                    ApproachMode.WORK_STEALING,
                    new Described(
                            JdkApproaches::workStealing,
                            "newWorkStealingPool(100), platform threads; a Semaphore limits the tasks in it to 1,100")));

    private static final int BUFFER = 1_000;

    /** Follows the last task in the queue, once for each consumer. */
    private static final int END = -1;

    private JdkApproaches() {}

    private static void batchByBatch(TaskScenario scenario, TaskObserver observer) throws Exception {
        try (ExecutorService consumers = Executors.newFixedThreadPool(
                scenario.consumers(), Thread.ofVirtual().factory())) {
            produce(scenario, observer, 0, batch -> awaitAll(consumers.invokeAll(calls(scenario, observer, batch))));
        }
    }

    private static List<Callable<Boolean>> calls(TaskScenario scenario, TaskObserver observer, List<Integer> batch) {
        return batch.stream()
                .<Callable<Boolean>>map(task -> () -> {
                    consume(scenario, observer, task);
                    return true;
                })
                .toList();
    }

    private static void blockingQueue(TaskScenario scenario, TaskObserver observer) throws Exception {
        BlockingQueue<Integer> queue = new ArrayBlockingQueue<>(BUFFER);
        runAll(scenario, observer, queue::put, () -> queue.put(END), () -> {
            for (int task = queue.take(); task != END; task = queue.take()) {
                consume(scenario, observer, task);
            }
        });
    }

    /**
     * A permit of {@code available} allows one poll. A consumer that has a permit and finds no task knows that no more
     * tasks come. A permit of {@code free} allows to add one task.
     */
    private static void nonBlockingQueue(TaskScenario scenario, TaskObserver observer) throws Exception {
        ConcurrentLinkedQueue<Integer> queue = new ConcurrentLinkedQueue<>();
        Semaphore available = new Semaphore(0);
        Semaphore free = new Semaphore(BUFFER);
        TaskSink sink = task -> {
            free.acquire();
            queue.add(task);
            available.release();
        };
        runAll(scenario, observer, sink, available::release, () -> {
            available.acquire();
            for (Integer task = queue.poll(); task != null; task = queue.poll()) {
                free.release();
                consume(scenario, observer, task);
                available.acquire();
            }
        });
    }

    private static void workStealing(TaskScenario scenario, TaskObserver observer) throws Exception {
        Semaphore free = new Semaphore(BUFFER + scenario.consumers());
        try (ExecutorService pool = Executors.newWorkStealingPool(scenario.consumers())) {
            List<Future<Boolean>> all = new ArrayList<>();
            TaskSink sink = task -> {
                free.acquire();
                all.add(pool.submit(() -> {
                    consume(scenario, observer, task);
                    free.release();
                    return true;
                }));
            };
            produce(scenario, observer, 0, batch -> acceptAll(batch, sink));
            awaitAll(all);
        }
    }

    private interface Step {
        void run() throws Exception;
    }

    private interface TaskSink {
        void accept(int task) throws Exception;
    }

    private interface BatchSink {
        void accept(List<Integer> batch) throws Exception;
    }

    /** Runs all producers and consumers. The last producer adds one end for each consumer. */
    private static void runAll(TaskScenario scenario, TaskObserver observer, TaskSink sink, Step addEnd, Step consumer)
            throws Exception {
        AtomicInteger producing = new AtomicInteger(scenario.producers());
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Callable<Boolean>> parts = new ArrayList<>();
            for (int number = 0; number < scenario.producers(); number++) {
                int producer = number;
                parts.add(() -> {
                    try {
                        produce(scenario, observer, producer, batch -> acceptAll(batch, sink));
                    } finally {
                        boolean isLast = producing.decrementAndGet() == 0;
                        for (int i = 0; isLast && i < scenario.consumers(); i++) {
                            addEnd.run();
                        }
                    }
                    return true;
                });
            }
            parts.addAll(Collections.nCopies(scenario.consumers(), () -> {
                consumer.run();
                return true;
            }));
            awaitAll(threads.invokeAll(parts));
        }
    }

    private static void acceptAll(List<Integer> batch, TaskSink sink) throws Exception {
        for (int task : batch) {
            sink.accept(task);
        }
    }

    private static void awaitAll(List<Future<Boolean>> futures) throws Exception {
        for (Future<Boolean> future : futures) {
            future.get();
        }
    }

    private static void produce(TaskScenario scenario, TaskObserver observer, int producer, BatchSink sink)
            throws Exception {
        for (int batch = producer; batch < scenario.batches(); batch += scenario.producers()) {
            Thread.sleep(scenario.produce());
            observer.produced(batch);
            sink.accept(scenario.batch(batch));
        }
    }

    private static void consume(TaskScenario scenario, TaskObserver observer, int task) throws InterruptedException {
        Thread.sleep(scenario.consume().get(task));
        observer.consumed(task);
    }
}
