// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * The producers and the consumers of a scenario as flows.
 *
 * @param scheduler measures the waits, and continues after each wait
 */
record ReactorFlows(TaskScenario scenario, TaskObserver observer, Scheduler scheduler) {

    private static final int BUFFER = 1_000;
    private static final int BATCHES_AHEAD = 12;

    /** Follows the last task in the queue, once for each consumer. */
    private static final int END = -1;

    Flux<?> batchByBatch() {
        return batchesOf(0)
                .concatMap(batch -> Flux.fromIterable(batch).flatMap(this::consume, scenario.consumers(), 1), 0);
    }

    /** The queue of {@code publishOn} is between producers and consumers. */
    Flux<?> queue() {
        return tasks(batches(), 1).publishOn(scheduler, BUFFER).flatMap(this::consume, scenario.consumers(), 1);
    }

    /** Consumers block a thread of an elastic scheduler in {@code take}. */
    Publisher<?> blockingQueue() {
        // A thread that has just finished a call still counts. With no spare threads, a put could be queued behind a
        // take.
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
                .concatMap(task -> call(() -> queue.put(task)).subscribeOn(blocking), 0)
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

    private interface BlockingCall {
        void run() throws InterruptedException;
    }

    private static Mono<Boolean> call(BlockingCall call) {
        return Mono.fromCallable(() -> {
            call.run();
            return true;
        });
    }

    /**
     * Delivers results in the order of the tasks.
     *
     * @param window maximum number of tasks in flatMapSequential
     * @param batchesAhead number of batches that are fetched in advance
     */
    Flux<?> ordered(int window, int batchesAhead) {
        Flux<List<Integer>> batches = batches();
        for (int i = 0; i < batchesAhead; i++) {
            batches = batches.publishOn(scheduler, 1).hide(); // two operators that are not hidden share a queue
        }
        // A flatMap between all tasks limits the consumers, because the window is larger than their number.
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

    Flux<?> unordered() {
        return tasks(batches(), BATCHES_AHEAD).flatMap(this::consume, scenario.consumers(), 1);
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
