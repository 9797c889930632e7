// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import static io.millrace.tasks.Tasks.counts;
import static io.millrace.tasks.Tasks.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class DeadlineTest {

    private static final Duration SOON = Duration.ofMillis(20);

    @Test
    void aConsumerThatNeverReturnsTimesOutAndIsReplaced() {
        CountDownLatch never = new CountDownLatch(1);
        AtomicInteger done = new AtomicInteger();

        FlowReport<Integer> report = Flow.of(numbers(10))
                .consumers(1)
                .carryOn()
                .deadline(SOON)
                .grace(SOON)
                .run(task -> {
                    if (task == 3) {
                        StopTest.awaitWhateverComes(never);
                    }
                    done.incrementAndGet();
                });

        assertThat(done).hasValue(9);
        assertThat(report.counts()).isEqualTo(counts(9, 0, 1, 0));
        assertThat(report.abandoned()).isEqualTo(1);
        assertThat(report.failures()).singleElement().isEqualTo(new Outcome.TimedOut<>(3, 1, SOON, Optional.empty()));
        never.countDown();
    }

    @Test
    void whatAnAbandonedConsumerReturnsLaterDoesNotCount() throws Exception {
        CountDownLatch late = new CountDownLatch(1);
        CountDownLatch returned = new CountDownLatch(1);
        CountDownLatch second = new CountDownLatch(1);

        try (Results<Integer, String> results = Flow.of(List.of(1, 2))
                .consumers(1)
                .carryOn()
                .deadline(SOON)
                .grace(SOON)
                .results(task -> {
                    if (task == 1) {
                        StopTest.awaitWhateverComes(late);
                        returned.countDown();
                    } else {
                        second.await();
                    }
                    return "done";
                })) {
            Outcome<Integer, String> first = results.next().orElseThrow();
            late.countDown();
            returned.await();
            second.countDown();

            assertThat(first).isInstanceOf(Outcome.TimedOut.class);
            assertThat(results.next().orElseThrow().task()).isEqualTo(2);
            assertThat(results.next()).isEmpty();
        }
    }

    @Test
    void aConsumerThatEndsWhenItIsInterruptedGoesOnWithTheNextTask() {
        FlowReport<Integer> report = Flow.of(numbers(10))
                .consumers(1)
                .carryOn()
                .deadline(SOON)
                .run(task -> {
                    if (task % 5 == 3) {
                        new CountDownLatch(1).await();
                    }
                });

        assertThat(report.counts()).isEqualTo(counts(8, 0, 2, 0));
        assertThat(report.abandoned()).isZero();
    }

    /** A task may see its own even before it has done anything: its time runs while its thread waits to be run. */
    @Test
    void anInterruptThatATaskSeesIsThatOfItsOwnDeadline() {
        Set<Integer> interrupted = ConcurrentHashMap.newKeySet();

        FlowReport<Integer> report = Flow.of(numbers(300))
                .consumers(4)
                .carryOn()
                .keptFailures(300)
                .deadline(Duration.ofMillis(1))
                .run(task -> {
                    long begun = System.nanoTime();
                    long takes = 950_000 + 10_000L * (task % 25); // ends at about the moment at which it is interrupted
                    do {
                        if (Thread.currentThread().isInterrupted()) {
                            interrupted.add(task);
                            return; // at once: who is not late, but reached by another's interrupt, is counted as done
                        }
                    } while (System.nanoTime() - begun < takes);
                });

        int timedOut = report.failures().size();
        assertThat(report.counts()).isEqualTo(counts(300 - timedOut, 0, timedOut, 0));
        assertThat(report.failures()).extracting(Outcome::task).containsAll(interrupted);
    }

    @Test
    void aTaskThatTimesOutStopsAFlowThatDoesNotCarryOn() {
        Flow<Integer> flow = Flow.of(numbers(1)).deadline(SOON);

        assertThatThrownBy(() -> flow.run(task -> new CountDownLatch(1).await()))
                .isInstanceOf(FlowException.class)
                .hasRootCauseInstanceOf(TimeoutException.class)
                .hasMessageContaining("a task timed out: after=PT0.02S, attempts=1");
    }

    @Test
    void theDeadlineIsForAllAttemptsAndTheWaitsBetweenThem() {
        AtomicInteger attempts = new AtomicInteger();

        FlowReport<Integer> report = Flow.of(numbers(1))
                .carryOn()
                .deadline(SOON)
                .retry(Retry.of(10).backoff(Duration.ofHours(1), Duration.ofHours(1)))
                .run(task -> {
                    attempts.incrementAndGet();
                    throw new IOException("busy");
                });

        assertThat(attempts).hasValue(1);
        assertThat(report.counts()).isEqualTo(counts(0, 0, 1, 0));
        assertThat(((Outcome.TimedOut<Integer, ?>) report.failures().getFirst()).lastFailure())
                .containsInstanceOf(IOException.class);
    }

    @Test
    void theKeyOfAnAbandonedTaskGoesOn() {
        CountDownLatch never = new CountDownLatch(1);

        FlowReport<Integer> report = Flow.of(numbers(10))
                .consumers(2)
                .carryOn()
                .oneByOnePer(task -> "all")
                .deadline(SOON)
                .grace(SOON)
                .run(task -> {
                    if (task == 3) {
                        StopTest.awaitWhateverComes(never);
                    }
                });
        never.countDown();

        assertThat(report.counts()).isEqualTo(counts(9, 0, 1, 0));
    }

    @Test
    void aConsumerThatDoesNotEndWhenTheFlowIsDroppedIsAbandoned() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        CountDownLatch begun = new CountDownLatch(1);

        RunningFlow<Integer> flow = Flow.of(numbers(3)).consumers(1).grace(SOON).start(task -> {
            begun.countDown();
            StopTest.awaitWhateverComes(never);
        });
        begun.await();
        flow.cancel();
        FlowReport<Integer> report = flow.await();
        never.countDown();

        assertThat(report.counts()).isEqualTo(counts(0, 0, 0, 3));
        assertThat(report.abandoned()).isEqualTo(1);
    }

    @Test
    void manyConsumersThatDoNotReturnEndTheFlow() {
        CountDownLatch never = new CountDownLatch(1);
        Flow<Integer> flow = Flow.from(Tasks.endless(10))
                .consumers(4)
                .carryOn()
                .deadline(Duration.ofMillis(1))
                .grace(Duration.ofMillis(1));

        assertThatThrownBy(() -> flow.run(task -> StopTest.awaitWhateverComes(never)))
                .isInstanceOfSatisfying(
                        FlowException.class,
                        e -> assertThat(e.report().abandoned()).isBetween(17, 30))
                .hasRootCauseMessage(
                        "too many consumers do not return: abandoned=17, consumers=4. Have the work end when"
                                + " it is interrupted");
        never.countDown();
    }

    @Test
    void consumersThatComputeForEverTimeOutToo() {
        AtomicBoolean enough = new AtomicBoolean();
        int consumers = 2 * Runtime.getRuntime().availableProcessors();

        FlowReport<Integer> report = Flow.of(numbers(consumers))
                .consumers(consumers)
                .carryOn()
                .deadline(SOON)
                .run(task -> {
                    while (!enough.get() && !Thread.currentThread().isInterrupted()) {
                        Thread.onSpinWait();
                    }
                });
        enough.set(true);

        assertThat(report.counts()).isEqualTo(counts(0, 0, consumers, 0));
    }

    @Test
    void theWaitForTheRateIsNotPartOfTheDeadline() {
        FlowReport<Integer> report = Flow.of(numbers(60))
                .consumers(30)
                .carryOn()
                .rate(200)
                .deadline(Duration.ofMillis(50))
                .run(task -> {});

        assertThat(report.counts()).isEqualTo(counts(60, 0, 0, 0));
    }

    @Test
    void aFlowWhoseResultsNobodyTakesCanBeClosedWhileAConsumerIsAbandoned() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        CountDownLatch begun = new CountDownLatch(2);
        Results<Integer, Integer> results = Flow.from(Tasks.endless(1))
                .buffer(1)
                .consumers(2)
                .carryOn()
                .deadline(SOON)
                .grace(SOON)
                .results(task -> {
                    begun.countDown();
                    if (task == 0) {
                        StopTest.awaitWhateverComes(never);
                    }
                    return task;
                });
        begun.await();
        while (results.counts().succeeded() < 1) {
            Thread.onSpinWait();
        }
        results.close();
        never.countDown();

        assertThat(results.counts().pending()).isZero();
    }
}
