// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** An observer that remembers what happened, in its order and when. */
final class Witness implements Observer {

    /** A batch produced or a task consumed, so long after the start. */
    record Event(int number, Duration after) {}

    private final long start = System.nanoTime();
    private final Queue<Event> produced = new ConcurrentLinkedQueue<>();
    private final Queue<Event> consumed = new ConcurrentLinkedQueue<>();

    @Override
    public void produced(int batch) {
        produced.add(now(batch));
    }

    @Override
    public void consumed(int task) {
        consumed.add(now(task));
    }

    List<Event> producedBatches() {
        return List.copyOf(produced);
    }

    List<Event> consumedTasks() {
        return List.copyOf(consumed);
    }

    private Event now(int number) {
        return new Event(number, Duration.ofNanos(System.nanoTime() - start));
    }
}
