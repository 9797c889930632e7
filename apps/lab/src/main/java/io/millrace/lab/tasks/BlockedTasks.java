// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.server.LabException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Starts tasks that all block at the same time, in ten steps, and measures threads and memory after each step. The
 * tasks end together after the last step. The figures of a step have the number of blocked tasks in their names, such
 * as {@code threads at 1000}.
 */
final class BlockedTasks implements ReadyWork {

    static final String MAX_THREADS = "maxThreads";
    static final String PEAK_RSS = "peakRssMegabytes";
    static final String PEAK_HEAP = "peakHeapMegabytes";
    static final String BLOCKED_AFTER = "allBlockedSeconds";

    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String RSS = "VmRSS:";
    private static final int STEPS = 10;
    private static final long STEP_LIMIT_SECONDS = 60;

    private final PoolFactory pools;
    private final int tasks;
    private final AtomicInteger ended = new AtomicInteger();
    private final Map<String, Double> figures = new LinkedHashMap<>();

    /** Makes the pool of one round. */
    @FunctionalInterface
    interface PoolFactory {
        BlockingPool open(int tasks) throws Exception;
    }

    BlockedTasks(PoolFactory pools, int tasks) {
        this.pools = pools;
        this.tasks = tasks;
    }

    @Override
    public void prepare() {
        ended.set(0);
        figures.clear();
        System.gc(); // so that the heap of the last round does not count
    }

    @Override
    public long run() throws Exception {
        Semaphore blocked = new Semaphore(0);
        CountDownLatch release = new CountDownLatch(1);
        long start = System.nanoTime();
        try (BlockingPool pool = pools.open(tasks)) {
            try {
                int started = 0;
                for (int step = 1; step <= STEPS; step++) {
                    int target = (int) ((long) tasks * step / STEPS);
                    for (int task = started; task < target; task++) {
                        pool.start(() -> block(blocked, release));
                    }
                    awaitBlocked(blocked, target - started, target);
                    started = target;
                    record(target, (System.nanoTime() - start) / 1e9);
                }
            } finally {
                release.countDown();
            }
        }
        return ended.get();
    }

    private void block(Semaphore blocked, CountDownLatch release) {
        blocked.release();
        try {
            release.await();
            ended.incrementAndGet();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void awaitBlocked(Semaphore blocked, int more, int target) throws InterruptedException {
        if (!blocked.tryAcquire(more, STEP_LIMIT_SECONDS, TimeUnit.SECONDS)) {
            throw new LabException("tasks did not start: expected=" + target + ", blocked="
                    + (target - more + blocked.availablePermits()) + ", after " + STEP_LIMIT_SECONDS
                    + " s. The pool has too few threads.");
        }
    }

    private void record(int blocked, double seconds) throws IOException {
        add(MAX_THREADS, "threads", blocked, ManagementFactory.getThreadMXBean().getThreadCount());
        add(BLOCKED_AFTER, "seconds", blocked, seconds);
        long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        figures.merge(PEAK_HEAP, heap / 1e6, Math::max);
        if (Files.exists(STATUS)) { // otherwise the system does not tell the resident memory, with thread stacks
            add(PEAK_RSS, "rssMegabytes", blocked, residentMegabytes());
        }
    }

    private void add(String maximum, String name, int blocked, double value) {
        figures.put(name + " at " + blocked, value);
        figures.merge(maximum, value, Math::max);
    }

    /** The line is such as {@code VmRSS: 123456 kB}, in units of 1,024 bytes. */
    private static double residentMegabytes() throws IOException {
        return Files.readAllLines(STATUS).stream()
                .filter(line -> line.startsWith(RSS))
                .mapToDouble(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1_024 / 1e6)
                .sum();
    }

    @Override
    public RoundDetails details() {
        RoundDetails details = RoundDetails.NONE;
        for (var figure : figures.entrySet()) {
            details = details.withFigure(figure.getKey(), figure.getValue());
        }
        return ended.get() == tasks
                ? details
                : details.withComplaints(
                        List.of("tasks that blocked until the end: expected=" + tasks + ", counted=" + ended.get()));
    }

    @Override
    public void close() {}
}
