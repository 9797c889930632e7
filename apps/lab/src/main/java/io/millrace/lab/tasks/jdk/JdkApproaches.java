// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks.jdk;

import io.millrace.lab.contender.Callers;
import io.millrace.lab.tasks.Observer;
import io.millrace.lab.tasks.Scenario;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/** Approaches with what {@code java.util.concurrent} has. */
public final class JdkApproaches {

    /** Tasks, as in the buffers of the other libraries. */
    private static final int BUFFER = 1_000;

    /** Stands in a queue behind the last task, once for each consumer. */
    private static final int END = -1;

    /** Has each batch consumed before the next is fetched. */
    public static void batchByBatch(Scenario scenario, Observer observer) throws Exception {
        var virtual = Thread.ofVirtual().factory();
        try (var consumers = Executors.newFixedThreadPool(scenario.consumers(), virtual)) {
            for (int batch = 0; batch < scenario.batches(); batch++) {
                Thread.sleep(scenario.produce());
                observer.produced(batch);
                var tasks = scenario.batch(batch).stream()
                        .map(task -> consumption(scenario, observer, task))
                        .toList();
                for (var done : consumers.invokeAll(tasks)) {
                    done.get();
                }
            }
        }
    }

    private static Callable<Boolean> consumption(Scenario scenario, Observer observer, int task) {
        return () -> {
            consume(scenario, observer, task);
            return true;
        };
    }

    /** With as many producers as the scenario has. */
    public static void blockingQueue(Scenario scenario, Observer observer) throws Exception {
        var queue = new ArrayBlockingQueue<Integer>(BUFFER);
        var producing = new AtomicInteger(scenario.producers());
        Callers.VIRTUAL.run(scenario.producers() + scenario.consumers(), caller -> {
            if (caller < scenario.producers()) {
                produce(scenario, observer, caller, batch -> {
                    for (int task : batch) {
                        queue.put(task);
                    }
                });
                if (producing.decrementAndGet() == 0) {
                    for (int i = 0; i < scenario.consumers(); i++) {
                        queue.put(END);
                    }
                }
            } else {
                for (int task = queue.take(); task != END; task = queue.take()) {
                    consume(scenario, observer, task);
                }
            }
        });
    }

    /**
     * Consumers wait for permits. Each permit is for one look into the queue; who then finds nothing there knows that
     * nothing comes any more.
     */
    public static void nonBlockingQueue(Scenario scenario, Observer observer) throws Exception {
        var queue = new ConcurrentLinkedQueue<Integer>();
        var filled = new Semaphore(0);
        var producing = new AtomicInteger(scenario.producers());
        Callers.VIRTUAL.run(scenario.producers() + scenario.consumers(), caller -> {
            if (caller < scenario.producers()) {
                produce(scenario, observer, caller, batch -> {
                    queue.addAll(batch);
                    filled.release(batch.size());
                });
                if (producing.decrementAndGet() == 0) {
                    filled.release(scenario.consumers());
                }
            } else {
                filled.acquire();
                for (var task = queue.poll(); task != null; task = queue.poll()) {
                    consume(scenario, observer, task);
                    filled.acquire();
                }
            }
        });
    }

    /** Takes a batch; may wait. */
    private interface Sink {

        void take(List<Integer> batch) throws InterruptedException;
    }

    private static void produce(Scenario scenario, Observer observer, int producer, Sink sink)
            throws InterruptedException {
        for (int batch = producer; batch < scenario.batches(); batch += scenario.producers()) {
            Thread.sleep(scenario.produce());
            observer.produced(batch);
            sink.take(scenario.batch(batch));
        }
    }

    private static void consume(Scenario scenario, Observer observer, int task) throws InterruptedException {
        Thread.sleep(scenario.consume().get(task));
        observer.consumed(task);
    }

    private JdkApproaches() {}
}
