// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import static io.millrace.tasks.Tasks.numbers;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FlowTest {

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void eachTaskIsDoneOnce(boolean stealing) {
        Set<Integer> done = ConcurrentHashMap.newKeySet();
        AtomicInteger calls = new AtomicInteger();
        Flow<Integer> flow = Flow.of(numbers(10_000)).buffer(100).consumers(8);
        if (stealing) {
            flow.workStealing();
        }

        FlowReport<Integer> report = flow.run(task -> {
            done.add(task);
            calls.incrementAndGet();
        });

        assertThat(done).hasSize(10_000);
        assertThat(calls).hasValue(10_000);
        assertThat(report.counts()).isEqualTo(new TaskCounts(10_000, 10_000, 0, 0, 0, 0, 0));
        assertThat(report.ending()).isEqualTo(Ending.COMPLETED);
    }

    @Test
    void tasksOfOneKeyAreDoneOneAfterTheOther() {
        Map<Integer, List<Integer>> order = new ConcurrentHashMap<>();
        Map<Integer, AtomicInteger> atOnce = new ConcurrentHashMap<>();
        AtomicInteger most = new AtomicInteger();

        FlowReport<Integer> report = Flow.of(numbers(5_000))
                .buffer(50)
                .consumers(8)
                .oneByOnePer(task -> task % 13)
                .run(task -> {
                    AtomicInteger now = atOnce.computeIfAbsent(task % 13, key -> new AtomicInteger());
                    most.accumulateAndGet(now.incrementAndGet(), Math::max);
                    order.computeIfAbsent(task % 13, key -> Collections.synchronizedList(new ArrayList<>()))
                            .add(task);
                    Thread.onSpinWait();
                    now.decrementAndGet();
                });

        assertThat(report.counts().succeeded()).isEqualTo(5_000);
        assertThat(most).hasValue(1);
        assertThat(order).hasSize(13);
        assertThat(order.values()).allSatisfy(list -> assertThat(list).isSorted());
    }

    @Test
    void aFlowThatCarriesOnKeepsItsFailures() {
        FlowReport<Integer> report = Flow.of(numbers(1_000))
                .consumers(4)
                .carryOn()
                .keptFailures(10)
                .run(task -> {
                    if (task % 10 == 0) {
                        throw new IOException("refused " + task);
                    }
                });

        assertThat(report.counts()).isEqualTo(new TaskCounts(1_000, 900, 100, 0, 0, 0, 0));
        assertThat(report.failures()).hasSize(10).allSatisfy(outcome -> {
            assertThat(outcome.task() % 10).isZero();
            assertThat(((Outcome.Failed<Integer, ?>) outcome).cause()).hasMessage("refused " + outcome.task());
        });
        assertThat(report.failuresNotKept()).isEqualTo(90);
    }

    @Test
    void aFailureIsTriedAgain() {
        Map<Integer, Integer> tries = new ConcurrentHashMap<>();

        FlowReport<Integer> report = Flow.of(numbers(100))
                .consumers(4)
                .carryOn()
                .retry(Retry.of(3).backoff(Duration.ZERO, Duration.ZERO).on(IOException.class))
                .run(task -> {
                    int attempt = tries.merge(task, 1, Integer::sum);
                    if (task == 7) {
                        throw new IllegalStateException("never again");
                    }
                    if (task == 8 || (attempt < 3 && task % 2 == 0)) {
                        throw new IOException("busy");
                    }
                });

        assertThat(report.counts()).isEqualTo(new TaskCounts(100, 98, 2, 0, 0, 0, 100));
        assertThat(tries.get(7)).isEqualTo(1);
        assertThat(tries.get(8)).isEqualTo(3);
    }

    @Test
    void batchesAreOfTheirSize() {
        List<Integer> sizes = Collections.synchronizedList(new ArrayList<>());
        Set<Integer> seen = ConcurrentHashMap.newKeySet();

        FlowReport<Integer> report = Flow.of(numbers(1_000))
                .consumers(2)
                .batches(Batching.of(64).within(Duration.ofSeconds(10)))
                .run(batch -> {
                    sizes.add(batch.tasks().size());
                    seen.addAll(batch.tasks());
                });

        assertThat(report.counts().succeeded()).isEqualTo(1_000);
        assertThat(seen).hasSize(1_000);
        assertThat(sizes.stream().filter(size -> size < 64)).hasSizeLessThanOrEqualTo(2);
        assertThat(sizes).allMatch(size -> size <= 64);
    }

    @Test
    void tasksOfABatchFailByThemselves() {
        FlowReport<Integer> report = Flow.of(numbers(100))
                .carryOn()
                .batches(Batching.of(10))
                .run(batch -> {
                    for (int i = 0; i < batch.tasks().size(); i++) {
                        if (batch.tasks().get(i) % 10 == 3) {
                            batch.fail(i, new IOException("refused"));
                        }
                    }
                });

        assertThat(report.counts()).isEqualTo(new TaskCounts(100, 90, 10, 0, 0, 0, 0));
    }

    @Test
    void aHeavyTaskWaitsUntilItIsAlone() {
        Map<Integer, Integer> done = new HashMap<>();

        FlowReport<Integer> report = Flow.of(List.of(1, 2, 100, 3, 4))
                .consumers(1)
                .weight(5, task -> task)
                .run(task -> done.put(task, task));

        assertThat(report.counts().succeeded()).isEqualTo(5);
    }

    @Test
    void theNumberOfAttemptsASecondIsLimited() {
        long started = System.nanoTime();

        FlowReport<Integer> report =
                Flow.of(numbers(100)).consumers(8).rate(1_000).run(task -> {});

        assertThat(report.counts().succeeded()).isEqualTo(100);
        assertThat(System.nanoTime() - started).isGreaterThan(80_000_000L);
    }
}
