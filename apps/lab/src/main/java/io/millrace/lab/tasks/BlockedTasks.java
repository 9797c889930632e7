// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import io.millrace.lab.experiment.Contender.Description;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.server.LabException;
import io.millrace.lab.tasks.fs2.CatsBlockingPool;
import io.millrace.tasks.RunningTaskFlow;
import io.millrace.tasks.Source;
import io.millrace.tasks.TaskFlow;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
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

    /** Equal for all. With these options, no JVM is shared with other scenarios. */
    private static final List<String> JVM_OPTIONS = List.of("-Xmx512m");

    private static final String JAVA = "https://docs.oracle.com/en/java/javase/21/";

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

    /** Contenders that block {@code tasks} tasks. */
    static List<JvmContender> contenders(int tasks) {
        return List.of(
                contender(
                        new Description(
                                "millrace",
                                "task-flow",
                                "TaskFlow with a consumer for each task, on virtual threads",
                                "docs/tasks.md"),
                        FlowPool::new,
                        tasks),
                contender(
                        new Description(
                                "fs2",
                                "io-blocking",
                                "IO.blocking of cats-effect, which adds a thread for each blocked task",
                                "https://typelevel.org/cats-effect/docs/thread-model"),
                        number -> new CatsBlockingPool(),
                        tasks),
                contender(
                        new Description(
                                "jdk",
                                "cached-thread-pool",
                                "Executors.newCachedThreadPool()",
                                JAVA + "docs/api/java.base/java/util/concurrent/Executors.html"),
                        number -> new ExecutorPool(Executors.newCachedThreadPool()),
                        tasks),
                contender(
                        new Description(
                                "jdk",
                                "virtual-threads",
                                "Executors.newVirtualThreadPerTaskExecutor()",
                                JAVA + "core/virtual-threads.html"),
                        number -> new ExecutorPool(Executors.newVirtualThreadPerTaskExecutor()),
                        tasks));
    }

    private static JvmContender contender(Description description, PoolFactory pool, int tasks) {
        return new JvmContender(
                description, context -> new BlockedTasks(pool, tasks), JVM_OPTIONS, target -> Optional.empty());
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

    private record ExecutorPool(ExecutorService executor) implements BlockingPool {

        @Override
        public void start(Runnable task) {
            executor.execute(task);
        }

        @Override
        public void close() {
            executor.close();
        }
    }

    /** A flow whose source takes the tasks from a queue. An empty element is the end. */
    private static final class FlowPool implements BlockingPool {

        private final BlockingQueue<Optional<Runnable>> queue = new LinkedBlockingQueue<>();
        private final RunningTaskFlow<Runnable> flow;

        FlowPool(int tasks) {
            Source<Runnable> source = () -> queue.take().stream().toList();
            flow = TaskFlow.from(source).consumers(tasks).start(Runnable::run);
        }

        @Override
        public void start(Runnable task) {
            queue.add(Optional.of(task));
        }

        @Override
        public void close() {
            queue.add(Optional.empty());
            try (flow) {
                var unused = flow.await();
            }
        }
    }
}
