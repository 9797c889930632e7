// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** All libraries have equal limits: results behind a slow task, and batches that are fetched in advance. */
class WindowTest {

    /**
     * The times of the slow tasks. The first is long enough on a quiet machine for everything that the limits permit.
     * The next time is tried if a library has not reached its limit during the time before, or has passed the limit
     * because a consumer had no slow task.
     */
    private static final List<Duration> SLOW =
            List.of(Duration.ofSeconds(3), Duration.ofSeconds(10), Duration.ofSeconds(30));

    /** The fewest batches that the producer of a full buffer has made. */
    private static final int LEAST_BATCHES = 11;

    private static final int BATCHES = 25;

    /** Numbers of tasks and batches at the end of the first slow task. */
    private record Progress(int consumed, int produced) {}

    @Test
    void orderedStreamsHaveTheSameWindow() throws Exception {
        var measured = measure(
                ApproachMode::isOrdered,
                // With two producers, the batch of either producer may be the first.
                mode -> mode.producers() == 1 ? Set.of(0) : Set.of(0, Pace.BATCH),
                (mode, progress) -> progress.consumed() >= mode.window() - mode.producers());

        assertThat(measured).hasSize(4).allSatisfy((mode, progress) -> {
            assertThat(progress)
                    .hasSize(3)
                    .extracting(Progress::consumed)
                    .allSatisfy(consumed ->
                            assertThat(consumed).isBetween(mode.window() - mode.producers(), mode.window() - 1));
            var produced = progress.stream().mapToInt(Progress::produced).summaryStatistics();
            // With two producers, the second batch in the window may come from either of them. The reader of fs2 takes
            // one or two batches from its channel at once: with the last two, one more is fetched.
            int tolerance = mode.batchesAhead() > 0 ? 1 : 0;
            assertThat(produced.getMax() - produced.getMin())
                    .as("%s %s", mode, progress)
                    .isLessThanOrEqualTo(tolerance);
        });
    }

    @Test
    void queuesAndUnorderedStreamsHaveTheSameBuffer() throws Exception {
        Set<Integer> allConsumers = IntStream.range(0, Pace.CONSUMERS).boxed().collect(Collectors.toSet());

        var measured = measure(
                mode -> mode.canReachIdeal() && mode.producers() == 1,
                mode -> allConsumers,
                // A worker that steals two slow tasks leaves another consumer without one. Such a run is repeated.
                (mode, progress) -> progress.consumed() == 0 && progress.produced() >= LEAST_BATCHES);

        // 1,000 tasks in the buffer, 100 with the consumers, one batch that waits; one batch more or less
        assertThat(measured)
                .hasSize(4)
                .allSatisfy((mode, progress) -> assertThat(progress)
                        .extracting(Progress::produced)
                        .allSatisfy(produced -> assertThat(produced).isBetween(LEAST_BATCHES, 13)));
    }

    /** The progress of each library that has the mode. All run at the same time. */
    private static Map<ApproachMode, List<Progress>> measure(
            Predicate<ApproachMode> isMeasured,
            Function<ApproachMode, Set<Integer>> slow,
            BiPredicate<ApproachMode, Progress> isFull)
            throws Exception {
        Map<Future<Progress>, ApproachMode> running = new LinkedHashMap<>();
        try (ExecutorService executor = Executors.newCachedThreadPool()) {
            for (ApproachesTest.Candidate candidate :
                    ApproachesTest.candidates().toList()) {
                ApproachMode mode = candidate.mode();
                if (isMeasured.test(mode)) {
                    running.put(
                            executor.submit(
                                    () -> progressOfFullWindow(candidate.approach(), mode, slow.apply(mode), isFull)),
                            mode);
                }
            }
        }
        Map<ApproachMode, List<Progress>> measured = new TreeMap<>();
        for (var run : running.entrySet()) {
            measured.computeIfAbsent(run.getValue(), mode -> new ArrayList<>())
                    .add(run.getKey().get());
        }
        return measured;
    }

    /** The progress during the first time that is long enough to reach the limits. */
    private static Progress progressOfFullWindow(
            Approach approach, ApproachMode mode, Set<Integer> slow, BiPredicate<ApproachMode, Progress> isFull)
            throws Exception {
        Progress progress = new Progress(0, 0);
        for (Duration wait : SLOW) {
            progress = progressDuringSlowTasks(approach, mode, slow, wait);
            if (isFull.test(mode, progress)) {
                break;
            }
        }
        return progress;
    }

    private static Progress progressDuringSlowTasks(
            Approach approach, ApproachMode mode, Set<Integer> slow, Duration wait) throws Exception {
        List<Duration> waits = new ArrayList<>(Collections.nCopies(BATCHES * Pace.BATCH, Duration.ZERO));
        slow.forEach(task -> waits.set(task, wait));
        AtomicInteger consumed = new AtomicInteger();
        AtomicInteger produced = new AtomicInteger();
        List<Progress> progress = Collections.synchronizedList(new ArrayList<>());
        var scenario =
                new TaskScenario("slow-tasks", mode.producers(), Pace.CONSUMERS, Pace.BATCH, Duration.ZERO, waits);

        approach.run(scenario, ApproachesTest.observer(batch -> produced.incrementAndGet(), task -> {
            int before = consumed.getAndIncrement();
            if (slow.contains(task)) {
                progress.add(new Progress(before, produced.get()));
            }
        }));

        assertThat(consumed).hasValue(waits.size());
        return progress.getFirst();
    }
}
