// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import static io.millrace.tasks.Tasks.numbers;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TaskFlowTest {

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void eachTaskIsExecutedOnce(boolean stealing) {
        Set<Integer> done = ConcurrentHashMap.newKeySet();
        AtomicInteger calls = new AtomicInteger();
        TaskFlow<Integer> taskFlow = TaskFlow.of(numbers(10_000)).buffer(100).consumers(8);
        if (stealing) {
            taskFlow.workStealing();
        }

        TaskFlowReport<Integer> report = taskFlow.run(task -> {
            done.add(task);
            calls.incrementAndGet();
        });

        assertThat(done).hasSize(10_000);
        assertThat(calls).hasValue(10_000);
        assertThat(report.counts()).isEqualTo(new TaskCounts(10_000, 10_000, 0, 0, 0, 0, 0));
        assertThat(report.ending()).isEqualTo(Ending.COMPLETED);
    }

    @Test
    void consumerStealsTasksFromTheQueueOfAnotherConsumer() {
        CountDownLatch others = new CountDownLatch(7);

        TaskFlowReport<Integer> report = TaskFlow.of(numbers(8))
                .buffer(8)
                .consumers(2)
                .workStealing()
                .deadline(Duration.ofSeconds(20))
                .run(task -> {
                    if (task == 0) {
                        others.await(); // half of the other tasks are in the queue of this consumer
                    } else {
                        others.countDown();
                    }
                });

        assertThat(report.counts().succeeded()).isEqualTo(8);
    }

    @Test
    void nextTaskOfAKeyWaitsWhileTasksOfOtherKeysRun() {
        CountDownLatch otherKey = new CountDownLatch(1);
        List<String> order = new CopyOnWriteArrayList<>();

        TaskFlowReport<String> report = TaskFlow.of(List.of("a1", "a2", "b1"))
                .consumers(2)
                .sequentialPer(task -> task.charAt(0))
                .deadline(Duration.ofSeconds(20))
                .run(task -> {
                    if (task.equals("a1")) {
                        otherKey.await();
                    }
                    order.add(task);
                    if (task.equals("b1")) {
                        otherKey.countDown();
                    }
                });

        assertThat(report.counts().succeeded()).isEqualTo(3);
        assertThat(order).containsExactly("b1", "a1", "a2");
    }

    @Test
    void tasksOfOneKeyRunInOrder() {
        Map<Integer, List<Integer>> order = new ConcurrentHashMap<>();
        Map<Integer, AtomicInteger> concurrent = new ConcurrentHashMap<>();
        AtomicInteger maxConcurrent = new AtomicInteger();

        TaskFlowReport<Integer> report = TaskFlow.of(numbers(5_000))
                .buffer(50)
                .consumers(8)
                .sequentialPer(task -> task % 13)
                .run(task -> {
                    AtomicInteger now = concurrent.computeIfAbsent(task % 13, key -> new AtomicInteger());
                    maxConcurrent.accumulateAndGet(now.incrementAndGet(), Math::max);
                    order.computeIfAbsent(task % 13, key -> Collections.synchronizedList(new ArrayList<>()))
                            .add(task);
                    Thread.onSpinWait();
                    now.decrementAndGet();
                });

        assertThat(report.counts().succeeded()).isEqualTo(5_000);
        assertThat(maxConcurrent).hasValue(1);
        assertThat(order).hasSize(13);
        assertThat(order.values()).allSatisfy(list -> assertThat(list).isSorted());
    }

    @Test
    void flowThatContinuesOnFailureReportsItsFailures() {
        TaskFlowReport<Integer> report = TaskFlow.of(numbers(1_000))
                .consumers(4)
                .continueOnFailure()
                .recordedFailures(10)
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
        assertThat(report.failuresNotRecorded()).isEqualTo(90);
    }

    @Test
    void failedTaskIsRetried() {
        Map<Integer, Integer> tries = new ConcurrentHashMap<>();

        TaskFlowReport<Integer> report = TaskFlow.of(numbers(100))
                .consumers(4)
                .continueOnFailure()
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
    void attemptsPerSecondAreLimited() {
        long started = System.nanoTime();

        TaskFlowReport<Integer> report =
                TaskFlow.of(numbers(100)).consumers(8).rate(1_000).run(task -> {});

        assertThat(report.counts().succeeded()).isEqualTo(100);
        assertThat(System.nanoTime() - started).isGreaterThan(80_000_000L);
    }
}
