// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * The approaches in Reactor. Reactor has no work stealing: its rails receive tasks in turn.
 *
 * @param scheduler measures the waits, and continues after each wait
 */
record ReactorApproaches(TaskScenario scenario, Approach.Observer observer, Scheduler scheduler) {

    private static final int BUFFER = 1_000;
    private static final int BATCHES_AHEAD = 12;

    /** Follows the last task in the queue, once for each consumer. */
    private static final int END = -1;

    private static final Duration DISPOSE_LIMIT = Duration.ofSeconds(10);

    static Optional<Approach> of(ApproachMode mode) {
        return switch (mode) {
            case BATCH -> approach(ReactorApproaches::batchByBatch);
            case BLOCKING_QUEUE -> approach(ReactorApproaches::blockingQueue);
            case NONBLOCKING_QUEUE, TWO_PRODUCERS_QUEUE -> approach(ReactorApproaches::queue);
            case UNORDERED, TEN_PRODUCERS -> approach(ReactorApproaches::unordered);
            case STREAM_ORDERED, STREAM_ORDERED_PREFETCH, STREAM_ORDERED_LARGE, TWO_PRODUCERS_STREAMS ->
                approach(flows -> flows.ordered(mode.window(), mode.batchesAhead()));
            case WORK_STEALING -> Optional.empty();
        };
    }

    /** Each run has a scheduler of the default kind, with one thread per core. The shared one would never end. */
    private static Optional<Approach> approach(Function<ReactorApproaches, Publisher<?>> flow) {
        return Optional.of((scenario, observer) -> {
            Scheduler scheduler = Schedulers.newParallel("lab-tasks");
            try {
                Mono.when(flow.apply(new ReactorApproaches(scenario, observer, scheduler)))
                        .block();
            } finally {
                scheduler.disposeGracefully().block(DISPOSE_LIMIT);
            }
        });
    }

    private Flux<?> batchByBatch() {
        return batchesOf(0)
                .concatMap(batch -> Flux.fromIterable(batch).flatMap(this::consume, scenario.consumers(), 1), 0);
    }

    /** The queue of {@code publishOn} is between producers and consumers. */
    private Flux<?> queue() {
        return tasks(batches(), 1).publishOn(scheduler, BUFFER).flatMap(this::consume, scenario.consumers(), 1);
    }

    private Flux<?> unordered() {
        return tasks(batches(), BATCHES_AHEAD).flatMap(this::consume, scenario.consumers(), 1);
    }

    /**
     * Consumers block a thread of an elastic scheduler in {@code take}. A thread that has just finished a call still
     * counts. With no spare threads, a put could be queued behind a take.
     */
    private Publisher<?> blockingQueue() {
        int maxThreads = 4 * scenario.consumers();
        return Mono.using(
                () -> Schedulers.newBoundedElastic(maxThreads, Integer.MAX_VALUE, "lab-blocking"),
                this::throughBlockingQueue,
                Scheduler::dispose);
    }

    private Mono<Void> throughBlockingQueue(Scheduler blocking) {
        ArrayBlockingQueue<Integer> queue = new ArrayBlockingQueue<>(BUFFER);
        Flux<Integer> ends = Flux.range(0, scenario.consumers()).map(consumer -> END);
        Mono<Void> producing = tasks(batches(), 1)
                .concatWith(ends)
                .concatMap(task -> Mono.fromCallable(() -> put(queue, task)).subscribeOn(blocking), 0)
                .then();
        // The companion of repeatWhen receives the number of consumed tasks: 0 after the end of the queue.
        Flux<?> consumer = Mono.fromCallable(queue::take)
                .subscribeOn(blocking)
                .filter(task -> task != END)
                .flatMap(this::consume)
                .repeatWhen(counts -> counts.takeWhile(count -> count > 0));
        Flux<?> consumers = Flux.range(0, scenario.consumers()).flatMap(number -> consumer, scenario.consumers());
        return Mono.when(consumers, producing);
    }

    private static int put(ArrayBlockingQueue<Integer> queue, int task) throws InterruptedException {
        queue.put(task);
        return task;
    }

    /**
     * Delivers results in the order of the tasks. A flatMap between all tasks limits the consumers, because the window
     * is larger than their number.
     */
    private Flux<?> ordered(int window, int batchesAhead) {
        Flux<List<Integer>> batches = batches();
        for (int i = 0; i < batchesAhead; i++) {
            batches = batches.publishOn(scheduler, 1).hide(); // two operators that are not hidden share a queue
        }
        Sinks.Many<Mono<Long>> started = Sinks.many().unicast().onBackpressureBuffer();
        Flux<Long> consumers = started.asFlux().flatMap(Function.identity(), scenario.consumers(), 1);
        Flux<?> results = tasks(batches, 1)
                .flatMapSequential(task -> consumeWith(started, task), window, 1)
                .doOnTerminate(started::tryEmitComplete);
        return Flux.merge(consumers.ignoreElements(), results);
    }

    /** Adds the consumption of {@code task} to {@code started}. Returns the later result. */
    private Mono<Long> consumeWith(Sinks.Many<Mono<Long>> started, int task) {
        Sinks.One<Long> result = Sinks.one();
        started.emitNext(consume(task).doOnNext(result::tryEmitValue), Sinks.EmitFailureHandler.FAIL_FAST);
        return result.asMono();
    }

    private static Flux<Integer> tasks(Flux<List<Integer>> batches, int batchesAhead) {
        return batches.flatMapIterable(Function.identity(), batchesAhead);
    }

    /** The batches of all producers. Several producers are merged; one alone needs no operator that prefetches. */
    private Flux<List<Integer>> batches() {
        return scenario.producers() == 1
                ? batchesOf(0)
                : Flux.range(0, scenario.producers()).flatMap(this::batchesOf, scenario.producers(), 1);
    }

    private Flux<List<Integer>> batchesOf(int producer) {
        return Flux.fromStream(() -> scenario.batchesOf(producer).boxed()).concatMap(this::fetch, 0);
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
