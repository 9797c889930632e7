// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks.reactor;

import io.millrace.lab.tasks.Machinery;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.LongConsumer;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/** The machineries of Reactor. All share as many threads as there are cores, as Reactor would have it. */
public final class ReactorMachineries {

    /** Each by its name, in the order of reports. */
    public static Map<String, Machinery> all() {
        SequencedMap<String, Machinery> all = new LinkedHashMap<>();
        all.put("parallel", machinery(ReactorMachineries::parallel));
        all.put("flat-map", machinery(ReactorMachineries::flatMap));
        return all;
    }

    @FunctionalInterface
    private interface Flow {

        Mono<Void> of(Flux<Long> numbers, int consumers, LongConsumer work, Scheduler scheduler);
    }

    private static Machinery machinery(Flow flow) {
        return (producers, consumers, tasks, work) ->
                Threads.run(scheduler -> flow.of(numbers(producers, tasks, scheduler), consumers, work, scheduler));
    }

    /** Rails, to which numbers are dealt in turn: what Reactor's documentation has for work that keeps a core busy. */
    private static Mono<Void> parallel(Flux<Long> numbers, int consumers, LongConsumer work, Scheduler scheduler) {
        return numbers.parallel(consumers)
                .runOn(scheduler)
                .doOnNext(work::accept)
                .then();
    }

    /** A publisher for each number, as for work that waits for something. */
    private static Mono<Void> flatMap(Flux<Long> numbers, int consumers, LongConsumer work, Scheduler scheduler) {
        return numbers.flatMap(
                        number -> Mono.fromRunnable(() -> work.accept(number)).subscribeOn(scheduler), consumers, 1)
                .then();
    }

    private static Flux<Long> numbers(int producers, long tasks, Scheduler scheduler) {
        return Flux.range(0, producers)
                .flatMap(
                        producer -> range(tasks * producer / producers, tasks * (producer + 1) / producers)
                                .subscribeOn(scheduler),
                        producers);
    }

    private static Flux<Long> range(long from, long until) {
        return Flux.range(0, Math.toIntExact(until - from)).map(step -> from + step);
    }

    private ReactorMachineries() {}
}
