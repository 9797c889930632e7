// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.micro;

import io.millrace.lab.tasks.HandOver;
import io.millrace.lab.tasks.fs2.Fs2HandOver;
import io.millrace.tasks.Range;
import io.millrace.tasks.Source;
import io.millrace.tasks.TaskFlow;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/**
 * The ways to hand over tasks. All have a buffer of 1,000 tasks where there is a queue. Sources of Millrace and fs2 give
 * 100 tasks at a time.
 */
final class HandOvers {

    private static final int BUFFER = 1_000;
    private static final int BATCH = 100;

    /** Follows the last task in the queue, once for each consumer. */
    private static final Long END = -1L;

    private HandOvers() {}

    static HandOver named(String name) {
        return switch (name) {
            case "millrace-flow" -> flow(UnaryOperator.identity());
            case "millrace-work-stealing" -> flow(TaskFlow::workStealing);
            case "jdk-virtual-threads" -> blockingQueue(Executors::newVirtualThreadPerTaskExecutor);
            case "jdk-platform-threads" -> blockingQueue(Executors::newCachedThreadPool);
            case "fs2-stream" -> Fs2HandOver.stream();
            case "fs2-queue" -> Fs2HandOver.queue();
            case "reactor-parallel" -> HandOvers::rails;
            default -> throw new IllegalArgumentException("unknown way to hand over tasks: " + name);
        };
    }

    private static HandOver flow(UnaryOperator<TaskFlow<Long>> distribution) {
        return (producers, consumers, tasks, work) -> {
            List<Source<Long>> sources = new Range(0, tasks)
                    .split(producers).stream().map(HandOvers::batches).toList();
            var unused = distribution
                    .apply(TaskFlow.from(sources).buffer(BUFFER).consumers(consumers))
                    .run(work::accept);
        };
    }

    private static Source<Long> batches(Range range) {
        return new Source<>() {
            private long next = range.from();

            @Override
            public List<Long> next() {
                long from = next;
                next = Math.min(range.to(), from + BATCH);
                return LongStream.range(from, next).boxed().toList();
            }
        };
    }

    private static HandOver blockingQueue(Supplier<ExecutorService> executors) {
        return (producers, consumers, tasks, work) -> {
            BlockingQueue<Long> queue = new ArrayBlockingQueue<>(BUFFER);
            AtomicInteger producing = new AtomicInteger(producers);
            List<Future<Boolean>> threads = new ArrayList<>();
            try (ExecutorService executor = executors.get()) {
                for (Range range : new Range(0, tasks).split(producers)) {
                    threads.add(executor.submit(() -> put(queue, range, producing, consumers)));
                }
                for (int consumer = 0; consumer < consumers; consumer++) {
                    threads.add(executor.submit(() -> takeAll(queue, work)));
                }
                for (Future<Boolean> thread : threads) {
                    thread.get();
                }
            }
        };
    }

    private static boolean put(BlockingQueue<Long> queue, Range range, AtomicInteger producing, int consumers)
            throws InterruptedException {
        for (long number = range.from(); number < range.to(); number++) {
            queue.put(number);
        }
        if (producing.decrementAndGet() == 0) {
            for (int consumer = 0; consumer < consumers; consumer++) {
                queue.put(END);
            }
        }
        return true;
    }

    private static boolean takeAll(BlockingQueue<Long> queue, LongConsumer work) throws InterruptedException {
        for (long number = queue.take(); number != END; number = queue.take()) {
            work.accept(number);
        }
        return true;
    }

    /** Rails receive tasks in turn: the way of Reactor's documentation for work that needs the processor. */
    private static void rails(int producers, int consumers, long tasks, LongConsumer work) {
        numbers(producers, tasks)
                .parallel(consumers)
                .runOn(Schedulers.parallel())
                .doOnNext(work::accept)
                .then()
                .block();
    }

    private static Flux<Long> numbers(int producers, long tasks) {
        return Flux.fromIterable(new Range(0, tasks).split(producers))
                .flatMap(
                        range -> Flux.range(0, Math.toIntExact(range.size()))
                                .map(step -> range.from() + step)
                                .subscribeOn(Schedulers.parallel()),
                        producers);
    }
}
