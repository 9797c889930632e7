// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.stream.IntStream;

/**
 * Tasks that only wait. Producers wait before each batch, consumers wait for each task. Batch {@code b} contains the
 * tasks from {@code b * batch}. Producer {@code p} of {@code n} fetches the batches {@code p}, {@code p + n}, {@code p
 * + 2n}, and so on.
 *
 * @param name such as {@code slow-producer}
 * @param producers number of producers that fetch batches concurrently
 * @param consumers maximum number of tasks that are consumed concurrently
 * @param batch number of tasks in a batch
 * @param produce wait of a producer before each of its batches
 * @param consume wait of a consumer, by the number of the task
 */
public record TaskScenario(
        String name, int producers, int consumers, int batch, Duration produce, List<Duration> consume) {

    public TaskScenario {
        consume = List.copyOf(consume);
        if (producers < 1 || consumers < 1 || batch < 1 || consume.isEmpty() || consume.size() % batch != 0) {
            throw new IllegalArgumentException("wrong scenario: producers=" + producers + ", consumers=" + consumers
                    + ", batch=" + batch + ", tasks=" + consume.size()
                    + ". The number of tasks must be a multiple of the batch.");
        }
    }

    public int tasks() {
        return consume.size();
    }

    public int batches() {
        return tasks() / batch;
    }

    /** The numbers of the batches that {@code producer} fetches. */
    public IntStream batchesOf(int producer) {
        return IntStream.iterate(producer, batch -> batch < batches(), batch -> batch + producers);
    }

    /** The tasks of batch {@code number}. Every library receives the same list. */
    public List<Integer> batch(int number) {
        return IntStream.range(number * batch, (number + 1) * batch).boxed().toList();
    }

    /** Waits in this thread, and returns batch {@code number}. */
    List<Integer> blockProducer(int number, Approach.Observer observer) throws InterruptedException {
        Thread.sleep(produce);
        observer.produced(number);
        return batch(number);
    }

    /** Waits in this thread, and returns {@code task}. */
    int blockConsumer(int task, Approach.Observer observer) throws InterruptedException {
        Thread.sleep(consume.get(task));
        observer.consumed(task);
        return task;
    }

    /**
     * The makespan of the ideal schedule: each batch is complete when its producer has waited, and each task goes to
     * the consumer that is free first. Nothing but the waits takes time. The total wait divided by the consumers would
     * be shorter, but no program reaches that time: consumers are idle before the first batch and at the end.
     */
    public Duration ideal() {
        PriorityQueue<Long> freeAt = new PriorityQueue<>();
        IntStream.range(0, consumers).forEach(consumer -> freeAt.add(0L));
        long last = 0;
        for (int task = 0; task < tasks(); task++) {
            long completeAt = (task / batch / producers + 1L) * produce.toNanos();
            long end = Math.max(freeAt.remove(), completeAt) + consume.get(task).toNanos();
            freeAt.add(end);
            last = Math.max(last, end);
        }
        return Duration.ofNanos(last);
    }

    /** What the JSON report says about the scenario. With these waits a reader can calculate the ideal again. */
    Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", name);
        json.put("producers", producers);
        json.put("consumers", consumers);
        json.put("batch", batch);
        json.put("idealSeconds", ideal().toNanos() / 1e9);
        json.put("produceMillis", produce.toNanos() / 1e6);
        json.put(
                "consumeMillis",
                consume.stream().map(wait -> wait.toNanos() / 1e6).toList());
        return json;
    }
}
