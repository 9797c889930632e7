// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.server.LabException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToDoubleFunction;

/**
 * Starts tasks that all block at the same time, in ten steps, and measures threads and memory after each step. The
 * tasks end together after the last step. The figures of a step have the number of blocked tasks in their names, such
 * as {@code threads at 1000}.
 */
record BlockedTasks(PoolFactory pool, int tasks) implements Work {

    static final String MAX_THREADS = "maxThreads";
    static final String PEAK_RSS = "peakRssMegabytes";
    static final String PEAK_HEAP = "peakHeapMegabytes";
    static final String BLOCKED_AFTER = "allBlockedSeconds";

    private static final int STEPS = 10;
    private static final long STEP_LIMIT_SECONDS = 60;

    /** Makes the pool of one round. */
    @FunctionalInterface
    interface PoolFactory {
        BlockingPool open(int tasks) throws Exception;
    }

    @Override
    public ReadyWork open(WorkContext context) {
        return new Ready(pool, Math.toIntExact(context.parameters().size().orElse(tasks)));
    }

    private static final class Ready implements ReadyWork {

        private final PoolFactory pools;
        private final int tasks;
        private final AtomicInteger ended = new AtomicInteger();
        private final List<Step> steps = new ArrayList<>();

        Ready(PoolFactory pools, int tasks) {
            this.pools = pools;
            this.tasks = tasks;
        }

        /** State of the process when {@code blocked} tasks are blocked. */
        private record Step(int blocked, double seconds, MemorySample memory) {}

        @Override
        public void prepare() {
            ended.set(0);
            steps.clear();
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
                        steps.add(new Step(target, (System.nanoTime() - start) / 1e9, MemorySample.now()));
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

        private void awaitBlocked(Semaphore blocked, int more, int target) throws InterruptedException {
            if (!blocked.tryAcquire(more, STEP_LIMIT_SECONDS, TimeUnit.SECONDS)) {
                throw new LabException("tasks did not start: expected=" + target + ", blocked="
                        + (target - more + blocked.availablePermits()) + ", after " + STEP_LIMIT_SECONDS
                        + " s. The pool has too few threads.");
            }
        }

        @Override
        public RoundDetails details() {
            RoundDetails details = RoundDetails.NONE
                    .withComplaints(complaints())
                    .withFigure(MAX_THREADS, maximum(step -> step.memory.threads()))
                    .withFigure(PEAK_HEAP, maximum(step -> step.memory.heapMegabytes()))
                    .withFigure(BLOCKED_AFTER, maximum(Step::seconds));
            for (Step step : steps) {
                details = details.withFigure("threads at " + step.blocked, step.memory.threads())
                        .withFigure("seconds at " + step.blocked, step.seconds);
                if (step.memory.rssMegabytes().isPresent()) {
                    details = details.withFigure(
                                    "rssMegabytes at " + step.blocked,
                                    step.memory.rssMegabytes().getAsDouble())
                            .withFigure(
                                    PEAK_RSS,
                                    maximum(each -> each.memory.rssMegabytes().orElse(0)));
                }
            }
            return details;
        }

        private double maximum(ToDoubleFunction<Step> value) {
            return steps.stream().mapToDouble(value).max().orElse(0);
        }

        private List<String> complaints() {
            return ended.get() == tasks
                    ? List.of()
                    : List.of("tasks that blocked until the end: expected=" + tasks + ", counted=" + ended.get());
        }

        @Override
        public void close() {}
    }
}
