// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Runs two consumers and then a producer on an executor, and detects a deadlock: nothing was produced or consumed for
 * some time, tasks are left, and every thread waits in the queue. Then the probe interrupts the threads. Used once, by
 * one thread.
 */
final class DeadlockProbe {

    /** Time without progress before the threads are checked. A task takes microseconds. */
    private static final Duration STALL = Duration.ofMillis(500);

    /** Time without progress after which the cause is another one, because threads do not wait in the queue. */
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private static final Duration CHECK_INTERVAL = Duration.ofMillis(20);
    private static final int CAPACITY = 10;
    private static final int CONSUMERS = 2;
    private static final int END = -1;

    private final int tasks;
    private final BlockingQueue<Integer> queue = new ArrayBlockingQueue<>(CAPACITY);
    private final AtomicInteger produced = new AtomicInteger();
    private final AtomicInteger consumed = new AtomicInteger();
    private final List<Thread> threads = new CopyOnWriteArrayList<>(); // all threads that the executor created

    DeadlockProbe(int tasks) {
        this.tasks = tasks;
    }

    /**
     * The result of a run.
     *
     * @param deadlock where each thread waits; empty without a deadlock
     */
    record Result(int consumed, Optional<String> deadlock) {}

    /** Runs until the end of all tasks, or until a deadlock. */
    Result run(Thread.Builder builder, Function<ThreadFactory, ExecutorService> executors)
            throws InterruptedException, ExecutionException {
        ThreadFactory factory = action -> {
            Thread thread = builder.name("thread-" + (threads.size() + 1)).unstarted(action);
            threads.add(thread);
            return thread;
        };
        try (ExecutorService executor = executors.apply(factory)) {
            try {
                return await(List.of(
                        executor.submit(this::consume),
                        executor.submit(this::consume),
                        executor.submit(this::produce)));
            } finally {
                executor.shutdownNow(); // close would wait for threads in a deadlock
            }
        }
    }

    private Result await(List<Future<Boolean>> all) throws InterruptedException, ExecutionException {
        long lastProgress = System.nanoTime();
        for (int seen = 0; !haveEnded(all); ) {
            int steps = produced.get() + consumed.get();
            long now = System.nanoTime();
            if (steps != seen) {
                seen = steps;
                lastProgress = now;
            } else if (now - lastProgress > STALL.toNanos() && allWaitInQueue()) {
                return new Result(consumed.get(), Optional.of(deadlock(now - lastProgress)));
            } else if (now - lastProgress > LIMIT.toNanos()) {
                throw new IllegalStateException("no progress, but threads do not wait in the queue: " + states());
            }
        }
        return new Result(consumed.get(), Optional.empty());
    }

    private static boolean haveEnded(List<Future<Boolean>> all) throws InterruptedException, ExecutionException {
        try {
            for (Future<Boolean> one : all) {
                one.get(CHECK_INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
            }
            return true;
        } catch (TimeoutException e) {
            return false;
        }
    }

    private boolean produce() throws InterruptedException {
        for (int task = 0; task < tasks; task++) {
            queue.put(task);
            produced.incrementAndGet();
        }
        for (int i = 0; i < CONSUMERS; i++) {
            queue.put(END);
        }
        return true;
    }

    private boolean consume() throws InterruptedException {
        while (queue.take() != END) {
            consumed.incrementAndGet();
        }
        return true;
    }

    private boolean allWaitInQueue() {
        return threads.stream()
                .allMatch(thread -> thread.getState() == Thread.State.WAITING
                        && methodOfQueue(thread).isPresent());
    }

    private String deadlock(long nanos) {
        return String.format(
                Locale.ROOT,
                "deadlock: no progress for %.1f s: produced=%d of %d, consumed=%d, %s",
                nanos / 1e9,
                produced.get(),
                tasks,
                consumed.get(),
                states());
    }

    private String states() {
        return threads.stream()
                .map(thread -> thread.getName() + " " + thread.getState()
                        + methodOfQueue(thread).map(method -> " in " + method).orElse(""))
                .collect(Collectors.joining(", "));
    }

    /** The method of the queue that the thread executes. */
    private static Optional<String> methodOfQueue(Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .filter(frame -> frame.getClassName().equals(ArrayBlockingQueue.class.getName()))
                .map(frame -> "ArrayBlockingQueue." + frame.getMethodName())
                .findFirst();
    }
}
