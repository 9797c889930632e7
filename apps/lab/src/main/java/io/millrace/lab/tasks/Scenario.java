// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Tasks that only wait: fetched in batches by producers that wait before each, and consumed by consumers that wait for
 * each. Tasks are numbered from 0; batch {@code b} has the tasks from {@code b * batch} on. Where there are several
 * producers, producer {@code p} of {@code n} fetches the batches {@code p}, {@code p + n}, {@code p + 2n}, ..., each
 * after a wait.
 *
 * @param name such as {@code slow-producer}
 * @param producers how many fetch batches at once
 * @param consumers how many tasks may be consumed at once
 * @param batch tasks in a batch; divides their number
 * @param produce how long a producer waits before each of its batches
 * @param consume how long the consumer of each task waits, by the task's number
 */
public record Scenario(String name, int producers, int consumers, int batch, Duration produce, List<Duration> consume) {

    public Scenario {
        consume = List.copyOf(consume);
        if (producers < 1 || consumers < 1 || batch < 1 || consume.isEmpty() || consume.size() % batch != 0) {
            throw new IllegalArgumentException("not a scenario: producers=" + producers + ", consumers=" + consumers
                    + ", batch=" + batch + ", tasks=" + consume.size() + ". The batch divides the tasks.");
        }
    }

    public int tasks() {
        return consume.size();
    }

    public int batches() {
        return tasks() / batch;
    }

    /** How many of the batches are fetched by the producer of this number. */
    public int batchesOf(int producer) {
        return (batches() - producer + producers - 1) / producers;
    }

    /** The tasks of a batch, by the batch's number. */
    public List<Integer> batch(int number) {
        return IntStream.range(number * batch, (number + 1) * batch).boxed().toList();
    }
}
