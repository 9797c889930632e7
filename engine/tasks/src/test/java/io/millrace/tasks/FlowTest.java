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
    void aConsumerTakesWhatLiesInTheQueueOfAnother() {
        CountDownLatch others = new CountDownLatch(7);

        FlowReport<Integer> report = Flow.of(numbers(8))
                .buffer(8)
                .consumers(2)
                .workStealing()
                .deadline(Duration.ofSeconds(20))
                .run(task -> {
                    if (task == 0) {
                        others.await(); // half of them were put into the queue of who waits here
                    } else {
                        others.countDown();
                    }
                });

        assertThat(report.counts().succeeded()).isEqualTo(8);
    }

    @Test
    void theNextTaskOfAKeyWaitsWhileThoseOfOtherKeysAreDone() {
        CountDownLatch otherKey = new CountDownLatch(1);
        List<String> order = new CopyOnWriteArrayList<>();

        FlowReport<String> report = Flow.of(List.of("a1", "a2", "b1"))
                .consumers(2)
                .oneByOnePer(task -> task.charAt(0))
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
    void tasksOfOneKeyAreDoneInTheirOrder() {
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
    void theNumberOfAttemptsASecondIsLimited() {
        long started = System.nanoTime();

        FlowReport<Integer> report =
                Flow.of(numbers(100)).consumers(8).rate(1_000).run(task -> {});

        assertThat(report.counts().succeeded()).isEqualTo(100);
        assertThat(System.nanoTime() - started).isGreaterThan(80_000_000L);
    }
}
