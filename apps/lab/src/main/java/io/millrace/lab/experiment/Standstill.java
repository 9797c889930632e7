// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.experiment.TwoConsumersFirst.Threads;
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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/**
 * Two consumers and a producer around a bounded queue, and a look whether they stand still: for a while nothing has been produced or
 * consumed, tasks are left, and each thread there is waits inside the queue. Then it is said so, and the threads are
 * interrupted. Used once, by one thread.
 */
final class Standstill {

    /** How long nothing may happen. Tasks take microseconds. */
    private static final Duration PATIENCE = Duration.ofMillis(500);

    /** When threads neither work nor wait in the queue for so long, something else is wrong. */
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private static final Duration LOOK_EVERY = Duration.ofMillis(20);
    private static final int CAPACITY = 10;
    private static final int CONSUMERS = 2;
    private static final int END = -1;

    private final Threads kind;
    private final int tasks;
    private final BlockingQueue<Integer> queue = new ArrayBlockingQueue<>(CAPACITY);
    private final AtomicInteger produced = new AtomicInteger();
    private final AtomicInteger consumed = new AtomicInteger();
    private final List<Thread> threads = new CopyOnWriteArrayList<>(); // each thread that was ever started for this

    Standstill(Threads kind, int tasks) {
        this.kind = kind;
        this.tasks = tasks;
    }

    /**
     * How it ended.
     *
     * @param deadlock who waited where, if nothing moved any more
     */
    record Ending(int produced, int consumed, Optional<String> deadlock) {}

    /** Runs to the end of all tasks, or until nothing moves any more. */
    Ending await() throws InterruptedException, ExecutionException {
        try (var executor = kind.executor(this::thread)) {
            try {
                return await(executor);
            } finally {
                executor.shutdownNow(); // or those in a deadlock would be waited for
            }
        }
    }

    private Thread thread(Runnable action) {
        var thread = kind.builder().name("thread-" + (threads.size() + 1)).unstarted(action);
        threads.add(thread);
        return thread;
    }

    private Ending await(ExecutorService executor) throws InterruptedException, ExecutionException {
        // In this order: it is what makes the difference.
        var all =
                List.of(executor.submit(this::consume), executor.submit(this::consume), executor.submit(this::produce));
        long start = System.nanoTime();
        long movedAt = start;
        for (int seen = 0; !areOver(all); ) {
            int moved = produced.get() + consumed.get();
            long now = System.nanoTime();
            if (moved != seen) {
                seen = moved;
                movedAt = now;
            } else if (now - movedAt > PATIENCE.toNanos() && allWaitInQueue()) {
                return new Ending(produced.get(), consumed.get(), Optional.of(deadlock(now - movedAt)));
            } else if (now - movedAt > LIMIT.toNanos()) {
                throw new IllegalStateException("nothing moves, and not for the queue's sake: " + states());
            }
        }
        return new Ending(produced.get(), consumed.get(), Optional.empty());
    }

    /** Waits a little for each. */
    private static boolean areOver(List<Future<Boolean>> all) throws InterruptedException, ExecutionException {
        try {
            for (var one : all) {
                one.get(LOOK_EVERY.toMillis(), TimeUnit.MILLISECONDS);
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
                        && inQueue(thread).isPresent());
    }

    private String deadlock(long nanos) {
        return String.format(
                Locale.ROOT,
                "DEADLOCK: nothing has moved for %.1f s: produced=%d of %d, consumed=%d, %s",
                nanos / 1e9,
                produced.get(),
                tasks,
                consumed.get(),
                states());
    }

    private String states() {
        return threads.stream()
                .map(thread -> thread.getName() + " " + thread.getState()
                        + inQueue(thread).map(method -> " in " + method).orElse(""))
                .collect(Collectors.joining(", "));
    }

    /** The queue's method that the thread is in. */
    private static Optional<String> inQueue(Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .filter(frame -> frame.getClassName().equals(ArrayBlockingQueue.class.getName()))
                .map(frame -> "ArrayBlockingQueue." + frame.getMethodName())
                .findFirst();
    }
}
