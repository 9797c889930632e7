// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks.millrace;

import io.millrace.lab.tasks.Observer;
import io.millrace.lab.tasks.Scenario;
import io.millrace.tasks.Source;
import java.util.List;
import java.util.stream.IntStream;

/** One producer of a scenario: waits before each of its batches. Used by one thread. */
final class Batches implements Source<Integer> {

    private final Scenario scenario;
    private final Observer observer;
    private int next;

    private Batches(Scenario scenario, Observer observer, int producer) {
        this.scenario = scenario;
        this.observer = observer;
        this.next = producer;
    }

    /** A source for each producer. */
    static List<Source<Integer>> sources(Scenario scenario, Observer observer) {
        return IntStream.range(0, scenario.producers())
                .<Source<Integer>>mapToObj(producer -> new Batches(scenario, observer, producer))
                .toList();
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
