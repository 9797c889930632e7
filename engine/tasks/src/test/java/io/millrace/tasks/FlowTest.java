// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
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
    void resultsAreInTheOrderOfTheirTasks() {
        try (Results<Integer, Integer> results = Flow.of(numbers(5_000))
                .buffer(10)
                .consumers(8)
                .orderedResults(task -> {
                    if (task % 7 == 0) {
                        LockSupport.parkNanos(50_000);
                    }
                    return task * 2;
                })) {

            List<Integer> values = results.stream()
                    .map(outcome -> ((Outcome.Succeeded<Integer, Integer>) outcome).result())
                    .toList();

            assertThat(values).isEqualTo(numbers(5_000).stream().map(n -> n * 2).toList());
            assertThat(results.report().counts().succeeded()).isEqualTo(5_000);
        }
    }

    @Test
    void resultsComeAsTheyAreReady() throws Exception {
        CountDownLatch secondTaken = new CountDownLatch(1);
        try (Results<Integer, Integer> results = Flow.of(List.of(1, 2))
                .consumers(2)
                .results(task -> {
                    if (task == 1) {
                        secondTaken.await();
                    }
                    return task;
                })) {

            Outcome<Integer, Integer> first = results.next().orElseThrow();
            secondTaken.countDown();
            Outcome<Integer, Integer> second = results.next().orElseThrow();

            assertThat(first.task()).isEqualTo(2);
            assertThat(second.task()).isEqualTo(1);
            assertThat(results.next()).isEmpty();
        }
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
    void aFailureStopsTheFlow() {
        Flow<Integer> flow = Flow.of(numbers(1_000)).consumers(4);

        assertThatThrownBy(() -> flow.run(task -> {
                    if (task == 100) {
                        throw new IOException("refused");
                    }
                }))
                .isInstanceOfSatisfying(FlowException.class, e -> {
                    assertThat(e.report().ending()).isEqualTo(Ending.TASK_FAILED);
                    assertThat(e.report().counts().failed()).isEqualTo(1);
                    assertThat(e).hasRootCauseInstanceOf(IOException.class);
                    assertThat(e).hasMessageContaining("ending=TASK_FAILED");
                });
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
    void aConsumerThatNeverReturnsTimesOut() {
        CountDownLatch never = new CountDownLatch(1);

        FlowReport<Integer> report = Flow.of(numbers(10))
                .consumers(2)
                .carryOn()
                .deadline(Duration.ofMillis(20))
                .grace(Duration.ofMillis(20))
                .run(task -> {
                    while (task == 3 && never.getCount() > 0) {
                        LockSupport.parkNanos(1_000_000);
                    }
                });
        never.countDown();

        assertThat(report.counts()).isEqualTo(new TaskCounts(10, 9, 0, 1, 0, 0, 0));
        assertThat(report.abandoned()).isEqualTo(1);
        assertThat(report.failures()).singleElement().isInstanceOf(Outcome.TimedOut.class);
    }

    @Test
    void aConsumerThatIsInterruptedInTimeIsNotAbandoned() {
        FlowReport<Integer> report = Flow.of(numbers(10))
                .consumers(2)
                .carryOn()
                .deadline(Duration.ofMillis(20))
                .run(task -> {
                    if (task == 3) {
                        new CountDownLatch(1).await();
                    }
                });

        assertThat(report.counts()).isEqualTo(new TaskCounts(10, 9, 0, 1, 0, 0, 0));
        assertThat(report.abandoned()).isZero();
    }

    @Test
    void whatAFailingSourceHasProducedIsDone() {
        AtomicInteger calls = new AtomicInteger();
        Source<Integer> failing = () -> {
            int call = calls.getAndIncrement();
            if (call == 5) {
                throw new IOException("database gone");
            }
            return List.of(call * 2, call * 2 + 1);
        };
        AtomicLong done = new AtomicLong();

        assertThatThrownBy(() -> Flow.from(failing).consumers(2).run(task -> done.incrementAndGet()))
                .isInstanceOfSatisfying(FlowException.class, e -> {
                    assertThat(e.report().ending()).isEqualTo(Ending.SOURCE_FAILED);
                    assertThat(e.report().counts()).isEqualTo(new TaskCounts(10, 10, 0, 0, 0, 0, 0));
                    assertThat(e).hasRootCauseMessage("database gone");
                });
        assertThat(done).hasValue(10);
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
    void aCancelledFlowDropsWhatItHas() throws Exception {
        CountDownLatch begun = new CountDownLatch(2);
        Set<Object> settled = new HashSet<>();
        Source<Integer> source = new Source<>() {
            private int next;

            @Override
            public List<Integer> next() {
                return numbers(next, next += 10);
            }

            @Override
            public void settled(Outcome<Integer, ?> outcome) {
                synchronized (settled) {
                    settled.add(outcome.task());
                }
            }
        };

        RunningFlow<Integer> flow = Flow.from(source).buffer(100).consumers(2).start(task -> {
            begun.countDown();
            new CountDownLatch(1).await();
        });
        begun.await();
        flow.cancel();
        FlowReport<Integer> report = flow.await();

        assertThat(report.ending()).isEqualTo(Ending.CANCELLED);
        assertThat(report.counts().cancelled()).isEqualTo(report.counts().produced());
        assertThat((long) settled.size()).isEqualTo(report.counts().produced());
        assertThat(report.sourceFailures()).isEmpty();
    }

    @Test
    void aCancelledFlowThatDrainsDoesWhatItHas() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        AtomicInteger next = new AtomicInteger();
        RunningFlow<Integer> flow = Flow.from((Source<Integer>) () -> List.of(next.getAndIncrement()))
                .buffer(100)
                .onStop(OnStop.DRAIN)
                .start(task -> {
                    begun.countDown();
                    go.await();
                });
        begun.await();
        flow.cancel();
        go.countDown();
        FlowReport<Integer> report = flow.await();

        assertThat(report.ending()).isEqualTo(Ending.CANCELLED);
        assertThat(report.counts().succeeded())
                .isEqualTo(report.counts().produced())
                .isPositive();
    }

    @Test
    void anInterruptStopsTheFlowAndStaysSet() {
        Flow<Integer> flow = Flow.of(numbers(100)).consumers(2);
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> flow.run(task -> new CountDownLatch(1).await()))
                .isInstanceOfSatisfying(FlowException.class, e -> {
                    assertThat(e.report().ending()).isEqualTo(Ending.INTERRUPTED);
                    assertThat(e.report().counts().pending()).isZero();
                });
        assertThat(Thread.interrupted()).isTrue();
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

    private static List<Integer> numbers(int count) {
        return numbers(0, count);
    }

    private static List<Integer> numbers(int from, int to) {
        return IntStream.range(from, to).boxed().toList();
    }
}
