// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import static io.millrace.tasks.Tasks.counts;
import static io.millrace.tasks.Tasks.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests combinations of flow options. */
class CombinedTest {

    @Test
    void workStealingWorksWithBatches() {
        Set<Integer> done = ConcurrentHashMap.newKeySet();

        TaskFlowReport<Integer> report = TaskFlow.of(numbers(5_000))
                .buffer(200)
                .consumers(4)
                .workStealing()
                .batches(Batching.of(7))
                .run(batch -> done.addAll(batch.tasks()));

        assertThat(report.counts()).isEqualTo(counts(5_000, 0, 0, 0));
        assertThat(done).hasSize(5_000);
    }

    @Test
    void tasksOfOneKeyAreNeverInTwoConcurrentBatches() {
        AtomicIntegerArray running = new AtomicIntegerArray(5);
        Map<Integer, List<Integer>> order = new ConcurrentHashMap<>();
        AtomicInteger overlaps = new AtomicInteger();

        TaskFlowReport<Integer> report = TaskFlow.of(numbers(3_000))
                .buffer(100)
                .consumers(4)
                .sequentialPer(task -> task % 5)
                .batches(Batching.of(8))
                .run(batch -> {
                    for (int task : batch.tasks()) {
                        overlaps.addAndGet(running.getAndIncrement(task % 5));
                        order.computeIfAbsent(task % 5, key -> new CopyOnWriteArrayList<>())
                                .add(task);
                    }
                    LockSupport.parkNanos(10_000);
                    batch.tasks().forEach(task -> running.decrementAndGet(task % 5));
                });

        assertThat(report.counts()).isEqualTo(counts(3_000, 0, 0, 0));
        assertThat(overlaps).hasValue(0);
        assertThat(order.values()).allSatisfy(list -> assertThat(list).isSorted());
    }

    @Test
    void allTasksOfALateBatchTimeOut() {
        TaskFlowReport<Integer> report = TaskFlow.of(numbers(20))
                .consumers(1)
                .continueOnFailure()
                .deadline(Duration.ofSeconds(2))
                .batches(Batching.of(10).within(Duration.ofSeconds(10)))
                .run(batch -> {
                    if (batch.tasks().contains(0)) {
                        new CountDownLatch(1).await();
                    }
                });

        assertThat(report.counts()).isEqualTo(counts(10, 0, 10, 0));
        assertThat(report.abandoned()).isZero();
    }

    @Test
    void batchOfAnAbandonedConsumerTimesOutAndANewConsumerContinues() {
        CountDownLatch ended = new CountDownLatch(1);

        TaskFlowReport<Integer> report = TaskFlow.of(numbers(30))
                .consumers(1)
                .continueOnFailure()
                .deadline(Duration.ofSeconds(2))
                .grace(Duration.ofMillis(10))
                .batches(Batching.of(10).within(Duration.ofSeconds(10)))
                .run(batch -> {
                    if (batch.tasks().contains(0)) {
                        StopTest.awaitUninterruptibly(ended);
                    }
                });
        ended.countDown();

        assertThat(report.counts()).isEqualTo(counts(20, 0, 10, 0));
        assertThat(report.abandoned()).isEqualTo(1);
    }

    @Test
    void abandonedConsumersThatReturnLaterDoNotStopTheFlow() {
        List<CountDownLatch> taskStarted =
                Stream.generate(() -> new CountDownLatch(1)).limit(60).toList();

        TaskFlowReport<Integer> report = TaskFlow.of(numbers(60))
                .consumers(1)
                .continueOnFailure()
                .deadline(Duration.ofMillis(2))
                .grace(Duration.ofMillis(2))
                .run(task -> {
                    taskStarted.get(task).countDown();
                    if (task < 59) {
                        StopTest.awaitUninterruptibly(taskStarted.get(task + 1)); // until this consumer is replaced
                    }
                });

        assertThat(report.ending()).isEqualTo(Ending.COMPLETED);
        // The last task may time out, too.
        assertThat(report.abandoned()).isBetween(59, 60);
        assertThat(report.counts().timedOut()).isGreaterThanOrEqualTo(59);
        assertThat(report.counts().produced()).isEqualTo(60);
    }

    @Test
    void batchDoesNotWaitForASourceThatWaitsForTheBatch() {
        Iterator<List<String>> batches =
                List.of(List.of("a1", "a2"), List.of("a3")).iterator();

        TaskFlowReport<String> report = TaskFlow.from(() -> batches.hasNext() ? batches.next() : List.<String>of())
                .consumers(1)
                .prefetch(1)
                .sequentialPer(task -> task.charAt(0))
                .deadline(Duration.ofSeconds(20))
                .batches(Batching.of(100).within(Duration.ofHours(1)))
                .run(batch -> {});

        assertThat(report.counts().succeeded()).isEqualTo(3);
        assertThat(report.elapsed()).isLessThan(Duration.ofMinutes(1));
    }

    @Test
    void drainingFlowDeliversAllResults() throws Exception {
        CountDownLatch taskStarted = new CountDownLatch(1);
        CountDownLatch cancelled = new CountDownLatch(1);
        List<Integer> seen = new ArrayList<>();

        try (Results<Integer, Integer> results = TaskFlow.of(numbers(50))
                .buffer(100)
                .consumers(2)
                .onStop(OnStop.DRAIN)
                .results(task -> {
                    taskStarted.countDown();
                    StopTest.awaitUninterruptibly(cancelled);
                    return task * 2;
                })) {
            taskStarted.await();
            results.cancel();
            cancelled.countDown();
            for (var next = results.next(); next.isPresent(); next = results.next()) {
                seen.add(next.get().task());
            }

            assertThat(seen).hasSize((int) results.counts().produced());
            assertThat(results.report().ending()).isEqualTo(Ending.CANCELLED);
            assertThat(results.report().counts().cancelled()).isZero();
        }
    }

    @Test
    void taskFailsIfTheKeyFunctionThrowsAnError() {
        TaskFlowReport<Integer> report = TaskFlow.of(numbers(10))
                .continueOnFailure()
                .sequentialPer(task -> {
                    if (task == 4) {
                        throw new NoClassDefFoundError("no key");
                    }
                    return task;
                })
                .run(task -> {});

        assertThat(report.counts()).isEqualTo(counts(9, 1, 0, 0));
    }

    @Test
    void eachElementOfALazyResultListIsComputedOnce() {
        AtomicInteger reads = new AtomicInteger();

        TaskFlowReport<Integer> report;
        try (Results<Integer, String> results = TaskFlow.of(numbers(4))
                .continueOnFailure()
                .batches(Batching.of(2))
                .results(batch -> new AbstractList<>() {
                    @Override
                    public String get(int index) {
                        reads.incrementAndGet();
                        if (batch.tasks().contains(3)) {
                            throw new IllegalStateException("not made");
                        }
                        return "of " + batch.tasks().get(index);
                    }

                    @Override
                    public int size() {
                        return batch.tasks().size();
                    }
                })) {
            assertThat(results.stream()).hasSize(4);
            report = results.report();
        }

        assertThat(report.counts().failed()).isBetween(1L, 2L);
        assertThat(report.counts().cancelled()).isZero();
        assertThat(reads.get()).isLessThanOrEqualTo(4);
    }

    @Test
    void flowStopsIfATaskChangesItsKey() {
        List<Integer> first = new ArrayList<>(List.of(1));
        List<Integer> second = new ArrayList<>(List.of(1));
        List<Integer> other = List.of(7);
        CountDownLatch secondStandsInLine = new CountDownLatch(1);
        TaskFlow<List<Integer>> taskFlow =
                TaskFlow.of(List.of(first, second, other)).consumers(2).sequentialPer(task -> task);

        assertThatThrownBy(() -> taskFlow.run(task -> {
                    if (task.contains(7)) {
                        secondStandsInLine.countDown();
                    } else {
                        secondStandsInLine.await();
                        task.add(2);
                    }
                }))
                .isInstanceOfSatisfying(
                        TaskFlowException.class,
                        e -> assertThat(e.report().counts()).isEqualTo(counts(2, 0, 0, 1)))
                .hasRootCauseMessage(
                        "tasks did not start, because the key of an earlier task has probably changed: tasks=1."
                                + " A task key must not change");
    }

    @Test
    void streamIsClosedAtTheEndOfItsFlow() {
        AtomicBoolean closed = new AtomicBoolean();

        TaskFlowReport<Integer> report = TaskFlow.from(
                        Source.of(Stream.of(1, 2, 3).onClose(() -> closed.set(true))))
                .run(task -> {});

        assertThat(report.counts()).isEqualTo(counts(3, 0, 0, 0));
        assertThat(closed).isTrue();
    }

    @Test
    void failureIsNotRetriedIfThePredicateRethrowsTheFailure() {
        TaskFlowReport<Integer> report = TaskFlow.of(numbers(3))
                .continueOnFailure()
                .retry(Retry.of(5).on(failure -> {
                    throw (RuntimeException) failure;
                }))
                .run(task -> {
                    throw new IllegalStateException("refused");
                });

        assertThat(report.counts()).isEqualTo(counts(0, 3, 0, 0));
    }
}
