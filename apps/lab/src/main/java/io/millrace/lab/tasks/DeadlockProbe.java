// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import io.millrace.lab.experiment.Contender.Description;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/**
 * Runs two consumers and then a producer, on a pool of two threads or on virtual threads, and detects a deadlock: no
 * task was produced or consumed for some time, and every thread waits in the queue. Then the probe interrupts the
 * threads. Used for one run, by one thread.
 */
final class DeadlockProbe implements ReadyWork {

    private static final int TASKS = 100;

    /** Time without progress before the threads are checked. A task takes microseconds. */
    private static final long STALL_MILLIS = 500;

    /** Time without progress after which the cause is not the queue. */
    private static final long LIMIT_MILLIS = 20_000;

    private static final int CAPACITY = 10;
    private static final int CONSUMERS = 2;
    private static final int END = -1;

    private final boolean virtual;
    private final BlockingQueue<Integer> queue = new ArrayBlockingQueue<>(CAPACITY);
    private final AtomicInteger produced = new AtomicInteger();
    private final AtomicInteger consumed = new AtomicInteger();
    private final List<Thread> threads = new CopyOnWriteArrayList<>(); // all threads that the executor created
    private Optional<String> deadlock = Optional.empty();

    private DeadlockProbe(boolean virtual) {
        this.virtual = virtual;
    }

    static List<JvmContender> contenders() {
        return List.of(
                contender("two-platform-threads", "newFixedThreadPool(2)", false),
                contender("virtual-threads", "newThreadPerTaskExecutor with virtual threads", true));
    }

    private static JvmContender contender(String mode, String executor, boolean virtual) {
        var description = new Description(
                "jdk",
                mode,
                executor + "; two consumers that block in take start before the producer",
                "https://docs.oracle.com/en/java/javase/21/core/virtual-threads.html");
        return new JvmContender(description, context -> new DeadlockProbe(virtual));
    }

    /** Runs until the end of all tasks, or until a deadlock. */
    @Override
    public long run() throws InterruptedException, ExecutionException {
        ThreadFactory factory = action -> {
            Thread.Builder builder = virtual ? Thread.ofVirtual() : Thread.ofPlatform();
            Thread thread = builder.name("thread-" + (threads.size() + 1)).unstarted(action);
            threads.add(thread);
            return thread;
        };
        try (ExecutorService executor =
                virtual ? Executors.newThreadPerTaskExecutor(factory) : Executors.newFixedThreadPool(2, factory)) {
            try {
                Callable<Boolean> consumer = this::consume;
                await(List.of(executor.submit(consumer), executor.submit(consumer), executor.submit(this::produce)));
            } finally {
                executor.shutdownNow(); // close would wait for threads in a deadlock
            }
        }
        return consumed.get();
    }

    private void await(List<Future<Boolean>> all) throws InterruptedException, ExecutionException {
        int seen = -1;
        long stalledMillis = 0;
        while (deadlock.isEmpty() && !haveEnded(all)) {
            int steps = produced.get() + consumed.get();
            stalledMillis = steps == seen ? stalledMillis + STALL_MILLIS : 0;
            seen = steps;
            if (stalledMillis > 0 && threads.stream().allMatch(DeadlockProbe::waitsInQueue)) {
                deadlock = Optional.of("deadlock: no progress for " + stalledMillis + " ms: " + states());
            } else if (stalledMillis >= LIMIT_MILLIS) {
                throw new IllegalStateException("no progress, but threads do not wait in the queue: " + states());
            }
        }
    }

    /** Waits at most {@link #STALL_MILLIS} for each future. */
    private static boolean haveEnded(List<Future<Boolean>> all) throws InterruptedException, ExecutionException {
        try {
            for (Future<Boolean> one : all) {
                one.get(STALL_MILLIS, TimeUnit.MILLISECONDS);
            }
            return true;
        } catch (TimeoutException e) {
            return false;
        }
    }

    private boolean produce() throws InterruptedException {
        for (int task = 0; task < TASKS; task++) {
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

    private static boolean waitsInQueue(Thread thread) {
        return thread.getState() == Thread.State.WAITING
                && methodOfQueue(thread).isPresent();
    }

    private String states() {
        String states = threads.stream()
                .map(thread -> thread.getName() + " " + thread.getState()
                        + methodOfQueue(thread).map(method -> " in " + method).orElse(""))
                .collect(Collectors.joining(", "));
        return "produced=" + produced + " of " + TASKS + ", consumed=" + consumed + ", " + states;
    }

    /** The method of the queue that the thread executes. */
    private static Optional<String> methodOfQueue(Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .filter(frame -> frame.getClassName().equals(ArrayBlockingQueue.class.getName()))
                .map(frame -> "ArrayBlockingQueue." + frame.getMethodName())
                .findFirst();
    }

    @Override
    public RoundDetails details() {
        int expected = virtual ? TASKS : 0;
        var details = RoundDetails.NONE
                .withFigure("deadlocks", deadlock.isPresent() ? 1 : 0)
                .withRemark(deadlock.orElse("no deadlock: consumed=" + consumed));
        return deadlock.isPresent() != virtual && consumed.get() == expected
                ? details
                : details.withComplaints(List.of("deadlock: expected=" + !virtual + ", found=" + deadlock.isPresent()
                        + "; tasks consumed: expected=" + expected + ", consumed=" + consumed));
    }

    @Override
    public void close() {}
}
