// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.micro;

import io.millrace.lab.tasks.HandOver;
import io.millrace.lab.tasks.fs2.Fs2HandOver;
import io.millrace.tasks.Range;
import io.millrace.tasks.Retry;
import io.millrace.tasks.Source;
import io.millrace.tasks.TaskFlow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/**
 * Hands tasks that do nothing from producers to 8 consumers. One operation is one task. All ways have a buffer of 1,000
 * tasks where there is a queue. Sources of Millrace and fs2 give 100 tasks at a time.
 */
@State(Scope.Benchmark)
public class HandOverBenchmark {

    private static final int BUFFER = 1_000;
    private static final int BATCH = 100;

    static final String PLAIN_FLOW = "millrace-flow";

    /** The same flow with a rate, a deadline and retries, none of which ever delays or repeats a task. */
    static final String LIMITED_FLOW = "millrace-flow-rate-deadline-retry";

    /** Follows the last task in the queue, once for each consumer. */
    private static final Long END = -1L;

    /** More tasks per second than a flow can start, so that only the cost of the rate is measured. */
    private static final double NO_LIMIT = 1e8;

    private static final int TASKS = 100_000;
    private static final int CONSUMERS = 8;

    /** How tasks are handed over. */
    @Param({
        PLAIN_FLOW,
        LIMITED_FLOW,
        "millrace-work-stealing",
        "jdk-virtual-threads",
        "jdk-platform-threads",
        "fs2-stream",
        "fs2-queue",
        "reactor-parallel"
    })
    String library = PLAIN_FLOW;

    @Param({"1", "4"})
    int producers;

    private final LongAdder count = new LongAdder();
    private final LongAdder sum = new LongAdder();
    private HandOver handOver = (one, many, tasks, work) -> {};

    @Setup
    public void prepare() {
        handOver = named(library);
    }

    /** Hands over all tasks. Number and sum show whether each task arrived once. */
    @Benchmark
    @OperationsPerInvocation(TASKS)
    public void handOver() throws Exception {
        count.reset();
        sum.reset();
        handOver.run(producers, CONSUMERS, TASKS, this::work);
        long expectedSum = TASKS * (TASKS - 1L) / 2;
        if (count.sum() != TASKS || sum.sum() != expectedSum) {
            throw new IllegalStateException("tasks: expected=" + TASKS + ", arrived=" + count + "; sum: expected="
                    + expectedSum + ", arrived=" + sum);
        }
    }

    private void work(long number) {
        count.increment();
        sum.add(number);
    }

    private static HandOver named(String name) {
        return switch (name) {
            case PLAIN_FLOW -> flow(UnaryOperator.identity());
            case LIMITED_FLOW ->
                flow(tasks ->
                        tasks.rate(NO_LIMIT).deadline(Duration.ofMinutes(1)).retry(Retry.of(3)));
            case "millrace-work-stealing" -> flow(TaskFlow::workStealing);
            case "jdk-virtual-threads" -> blockingQueue(Executors::newVirtualThreadPerTaskExecutor);
            case "jdk-platform-threads" -> blockingQueue(Executors::newCachedThreadPool);
            case "fs2-stream" -> Fs2HandOver.stream();
            case "fs2-queue" -> Fs2HandOver.queue();
            case "reactor-parallel" -> HandOverBenchmark::rails;
            default -> throw new IllegalArgumentException("unknown way to hand over tasks: " + name);
        };
    }

    private static HandOver flow(UnaryOperator<TaskFlow<Long>> distribution) {
        return (producers, consumers, tasks, work) -> {
            List<Source<Long>> sources = new Range(0, tasks)
                    .split(producers).stream().map(HandOverBenchmark::batches).toList();
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
