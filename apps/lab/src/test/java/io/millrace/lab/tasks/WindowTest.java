// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** All libraries have equal limits: results behind a slow task, and batches that are fetched in advance. */
class WindowTest {

    /** Long enough for everything that the limits permit. */
    private static final Duration SLOW = Duration.ofSeconds(3);

    private static final int BATCHES = 25;

    /** The counts when the first slow task ends. */
    private record Progress(int consumed, int produced) {}

    @Test
    void orderedStreamsHaveTheSameWindow() throws Exception {
        Map<ApproachMode, Map<String, Progress>> measured = measure(
                mode -> mode.word().contains("stream"),
                // With two producers, the batch of either producer may be the first.
                mode -> mode.producers() == 1 ? Set.of(0) : Set.of(0, Pace.BATCH));

        assertThat(measured).hasSize(4).allSatisfy((mode, progress) -> {
            int window =
                    mode == ApproachMode.STREAM_ORDERED_LARGE ? ApproachMode.LARGE_WINDOW : ApproachMode.SMALL_WINDOW;
            assertThat(progress).containsOnlyKeys("millrace", "fs2", "reactor");
            assertThat(progress.values())
                    .extracting(Progress::consumed)
                    .allSatisfy(consumed -> assertThat(consumed).isBetween(window - mode.producers(), window - 1));
            var produced =
                    progress.values().stream().mapToInt(Progress::produced).summaryStatistics();
            // With two producers, the second batch in the window may come from either of them.
            assertThat(produced.getMax() - produced.getMin()).as("%s", progress).isLessThan(mode.producers());
        });
    }

    @Test
    void queuesAndUnorderedStreamsHaveTheSameBuffer() throws Exception {
        Set<Integer> allConsumers = IntStream.range(0, Pace.CONSUMERS).boxed().collect(Collectors.toSet());

        Map<ApproachMode, Map<String, Progress>> measured =
                measure(mode -> mode.canReachIdeal() && mode.producers() == 1, mode -> allConsumers);

        assertThat(measured)
                .hasSize(4)
                .allSatisfy((mode, progress) -> assertThat(progress.values())
                        .as("%s", progress)
                        .extracting(Progress::produced)
                        // 1,000 tasks in the buffer, 100 with the consumers, one batch that waits; one batch more or
                        // less
                        .allSatisfy(produced -> assertThat(produced).isBetween(11, 13)));
    }

    private interface SlowTasks {
        Set<Integer> of(ApproachMode mode);
    }

    private static Map<ApproachMode, Map<String, Progress>> measure(Predicate<ApproachMode> isMeasured, SlowTasks slow)
            throws Exception {
        Map<ApproachMode, Map<String, Future<Progress>>> running = new TreeMap<>();
        try (ExecutorService executor = Executors.newCachedThreadPool()) {
            for (ApproachMode mode : ApproachMode.values()) {
                for (TaskLibrary library : TaskLibraries.ALL) {
                    TaskLibrary.Described described = library.approaches().get(mode);
                    if (described != null && isMeasured.test(mode)) {
                        running.computeIfAbsent(mode, key -> new TreeMap<>())
                                .put(
                                        library.name(),
                                        executor.submit(() -> progressDuringSlowTasks(
                                                described.approach(), mode.producers(), slow.of(mode))));
                    }
                }
            }
        }
        Map<ApproachMode, Map<String, Progress>> measured = new TreeMap<>();
        for (var mode : running.entrySet()) {
            Map<String, Progress> libraries = new TreeMap<>();
            for (var library : mode.getValue().entrySet()) {
                libraries.put(library.getKey(), library.getValue().get());
            }
            measured.put(mode.getKey(), libraries);
        }
        return measured;
    }

    private static Progress progressDuringSlowTasks(Approach approach, int producers, Set<Integer> slow)
            throws Exception {
        List<Duration> waits = new ArrayList<>(Collections.nCopies(BATCHES * Pace.BATCH, Duration.ZERO));
        slow.forEach(task -> waits.set(task, SLOW));
        AtomicInteger consumed = new AtomicInteger();
        AtomicInteger produced = new AtomicInteger();
        List<Progress> progress = Collections.synchronizedList(new ArrayList<>());
        TaskObserver observer = new TaskObserver() {
            @Override
            public void produced(int batch) {
                produced.incrementAndGet();
            }

            @Override
            public void consumed(int task) {
                int before = consumed.getAndIncrement();
                if (slow.contains(task)) {
                    progress.add(new Progress(before, produced.get()));
                }
            }
        };

        approach.run(
                new TaskScenario("slow-tasks", producers, Pace.CONSUMERS, Pace.BATCH, Duration.ZERO, waits), observer);

        assertThat(consumed).hasValue(waits.size());
        return progress.getFirst();
    }
}
