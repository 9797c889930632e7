// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import java.time.Duration;
import java.util.PriorityQueue;
import java.util.stream.IntStream;

/**
 * How long a scenario takes if nothing but its waits takes time: each batch is there when its producer has waited for
 * it, and each task in turn goes to the consumer that is free first.
 *
 * <p>Total wait divided by consumers would be less, and nobody can reach it: consumers are idle until the first batch
 * is there, and one after the other when the last tasks are under way.
 */
public final class Ideal {

    /** The makespan of that schedule. */
    public static Duration of(Scenario scenario) {
        var freeAt = new PriorityQueue<Long>();
        IntStream.range(0, scenario.consumers()).forEach(consumer -> freeAt.add(0L));
        long last = 0;
        for (int task = 0; task < scenario.tasks(); task++) {
            long thereAt = thereAt(scenario, task / scenario.batch());
            long end = Math.max(freeAt.remove(), thereAt)
                    + scenario.consume().get(task).toNanos();
            freeAt.add(end);
            last = Math.max(last, end);
        }
        return Duration.ofNanos(last);
    }

    private static long thereAt(Scenario scenario, int batch) {
        return (batch / scenario.producers() + 1L) * scenario.produce().toNanos();
    }

    private Ideal() {}
}
