// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks.reactor;

import io.millrace.lab.tasks.Observer;
import io.millrace.lab.tasks.Scenario;
import java.util.List;
import java.util.function.Function;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * What the producers and the consumers of a scenario do, as flows.
 *
 * @param scheduler tells when a wait is over, and does what comes after it
 */
record ScenarioFlows(Scenario scenario, Observer observer, Scheduler scheduler) {

    /**
     * Has a batch fetched by each producer, then all their tasks consumed, then the next batches fetched, and so on.
     */
    Flux<?> batchByBatch() {
        return Flux.range(0, scenario.batches())
                .buffer(scenario.producers())
                .concatMap(
                        round -> Flux.fromIterable(round)
                                .flatMap(this::fetch, scenario.producers(), 1)
                                .collectList()
                                .flatMapMany(fetched -> Flux.fromIterable(fetched)
                                        .flatMapIterable(Function.identity())
                                        .flatMap(this::consume, scenario.consumers(), 1)),
                        0);
    }

    /** Results come in the order of the tasks, so a slow task holds back those after it. */
    Flux<?> ordered() {
        return tasks(1).flatMapSequential(this::consume, scenario.consumers(), 1);
    }

    /** Results come as they are ready, so no task waits for another. */
    Flux<?> unordered() {
        return tasks(ReactorApproaches.BATCHES_AHEAD).flatMap(this::consume, scenario.consumers(), 1);
    }

    /**
     * What all producers make, merged: each fetches its next batch while the last is consumed, and so many more wait.
     */
    private Flux<Integer> tasks(int batchesAhead) {
        return Flux.range(0, scenario.producers())
                .flatMap(this::batchesOf, scenario.producers(), 1)
                .flatMapIterable(Function.identity(), batchesAhead);
    }

    private Flux<List<Integer>> batchesOf(int producer) {
        return Flux.range(0, scenario.batchesOf(producer))
                .map(turn -> producer + turn * scenario.producers())
                .concatMap(this::fetch, 0);
    }

    private Mono<List<Integer>> fetch(int batch) {
        return Mono.delay(scenario.produce(), scheduler)
                .doOnNext(waited -> observer.produced(batch))
                .map(waited -> scenario.batch(batch));
    }

    private Mono<Long> consume(int task) {
        return Mono.delay(scenario.consume().get(task), scheduler).doOnNext(waited -> observer.consumed(task));
    }
}
