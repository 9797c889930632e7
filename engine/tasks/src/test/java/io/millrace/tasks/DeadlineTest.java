// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import static io.millrace.tasks.Tasks.counts;
import static io.millrace.tasks.Tasks.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.testkit.ManualClock;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

class DeadlineTest {

    private static final Duration SHORT = Duration.ofMillis(20);

    /** Time limit that an empty task does not exceed, even on a busy machine. */
    private static final Duration ENOUGH = Duration.ofSeconds(2);

    @Test
    void consumerThatNeverReturnsTimesOutAndIsReplaced() {
        CountDownLatch release = new CountDownLatch(1);
        AtomicInteger done = new AtomicInteger();

        TaskFlowReport<Integer> report = TaskFlow.of(numbers(10))
                .consumers(1)
                .continueOnFailure()
                .deadline(ENOUGH)
                .grace(SHORT)
                .run(task -> {
                    if (task == 3) {
                        StopTest.awaitUninterruptibly(release);
                    }
                    done.incrementAndGet();
                });

        assertThat(done).hasValue(9);
        assertThat(report.counts()).isEqualTo(counts(9, 0, 1, 0));
        assertThat(report.abandoned()).isEqualTo(1);
        assertThat(report.failures()).singleElement().isEqualTo(new Outcome.TimedOut<>(3, 1, ENOUGH, Optional.empty()));
        release.countDown();
    }

    /** The first task goes on for several checks of the supervisor, but the clock stands still. So the task is not late. */
    @Test
    void taskTimesOutWhenTheInjectedClockReachesTheDeadline() {
        ManualClock clock = new ManualClock();
        Semaphore checks = new Semaphore(0);
        LongSupplier watchedClock = () -> {
            if (Thread.currentThread().getName().endsWith("-supervisor")) {
                checks.release();
            }
            return clock.getAsLong();
        };

        TaskFlowReport<Integer> report = TaskFlow.of(numbers(2))
                .consumers(1)
                .continueOnFailure()
                .deadline(SHORT)
                .clockAndRandom(new ClockAndRandom(watchedClock, ClockAndRandom.SYSTEM.random()))
                .run(task -> {
                    if (task == 0) {
                        checks.drainPermits();
                        checks.acquire(5);
                    } else {
                        clock.advance(SHORT);
                        new CountDownLatch(1).await();
                    }
                });

        assertThat(report.counts()).isEqualTo(counts(1, 0, 1, 0));
        assertThat(report.failures()).singleElement().isEqualTo(new Outcome.TimedOut<>(1, 1, SHORT, Optional.empty()));
        assertThat(report.elapsed()).isEqualTo(SHORT);
    }

    @Test
    void lateResultOfAnAbandonedConsumerIsIgnored() throws Exception {
        CountDownLatch late = new CountDownLatch(1);
        CountDownLatch returned = new CountDownLatch(1);
        CountDownLatch second = new CountDownLatch(1);

        try (Results<Integer, String> results = TaskFlow.of(List.of(1, 2))
                .consumers(1)
                .continueOnFailure()
                .deadline(SHORT)
                .grace(SHORT)
                .results(task -> {
                    if (task == 1) {
                        StopTest.awaitUninterruptibly(late);
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
    void consumerThatReturnsOnInterruptContinuesWithTheNextTask() {
        TaskFlowReport<Integer> report = TaskFlow.of(numbers(10))
                .consumers(1)
                .continueOnFailure()
                .deadline(SHORT)
                .run(task -> {
                    if (task % 5 == 3) {
                        new CountDownLatch(1).await();
                    }
                });

        assertThat(report.counts()).isEqualTo(counts(8, 0, 2, 0));
        assertThat(report.abandoned()).isZero();
    }

    /**
     * A task may be interrupted before it executes its first line, because its time limit also runs while its thread
     * waits for a processor.
     */
    @Test
    void taskReceivesOnlyTheInterruptOfItsOwnDeadline() {
        Set<Integer> interrupted = ConcurrentHashMap.newKeySet();

        TaskFlowReport<Integer> report = TaskFlow.of(numbers(300))
                .consumers(4)
                .continueOnFailure()
                .recordedFailures(300)
                .deadline(Duration.ofMillis(1))
                .run(task -> {
                    long taskStarted = System.nanoTime();
                    long takes = 950_000 + 10_000L * (task % 25); // the task ends close to the interrupt
                    do {
                        if (Thread.currentThread().isInterrupted()) {
                            interrupted.add(task);
                            return; // a task that receives the interrupt of another task thus succeeds
                        }
                    } while (System.nanoTime() - taskStarted < takes);
                });

        int timedOut = report.failures().size();
        assertThat(report.counts()).isEqualTo(counts(300 - timedOut, 0, timedOut, 0));
        assertThat(report.failures()).extracting(Outcome::task).containsAll(interrupted);
    }

    @Test
    void timedOutTaskStopsAFlowThatDoesNotContinueOnFailure() {
        TaskFlow<Integer> taskFlow = TaskFlow.of(numbers(1)).deadline(SHORT);

        assertThatThrownBy(() -> taskFlow.run(task -> new CountDownLatch(1).await()))
                .isInstanceOf(TaskFlowException.class)
                .hasRootCauseInstanceOf(TimeoutException.class)
                .hasMessageContaining("a task timed out: after=PT0.02S, attempts=1");
    }

    @Test
    void deadlineCoversAllAttemptsAndBackoff() {
        AtomicInteger attempts = new AtomicInteger();

        TaskFlowReport<Integer> report = TaskFlow.of(numbers(1))
                .continueOnFailure()
                .deadline(SHORT)
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
    void nextTaskOfAKeyRunsAfterTheConsumerOfAnEarlierTaskWasAbandoned() {
        CountDownLatch release = new CountDownLatch(1);

        TaskFlowReport<Integer> report = TaskFlow.of(numbers(10))
                .consumers(2)
                .continueOnFailure()
                .sequentialPer(task -> "all")
                .deadline(ENOUGH)
                .grace(SHORT)
                .run(task -> {
                    if (task == 3) {
                        StopTest.awaitUninterruptibly(release);
                    }
                });
        release.countDown();

        assertThat(report.counts()).isEqualTo(counts(9, 0, 1, 0));
    }

    @Test
    void consumerIsAbandonedIfItIgnoresItsInterruptWhenTheFlowIsDropped() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch taskStarted = new CountDownLatch(1);

        RunningTaskFlow<Integer> flow = TaskFlow.of(numbers(3))
                .consumers(1)
                .grace(SHORT)
                .start(task -> {
                    taskStarted.countDown();
                    StopTest.awaitUninterruptibly(release);
                });
        taskStarted.await();
        flow.cancel();
        TaskFlowReport<Integer> report = flow.await();
        release.countDown();

        assertThat(report.counts()).isEqualTo(counts(0, 0, 0, 3));
        assertThat(report.abandoned()).isEqualTo(1);
    }

    @Test
    void tooManyAbandonedConsumersStopTheFlow() {
        CountDownLatch release = new CountDownLatch(1);
        TaskFlow<Integer> taskFlow = TaskFlow.from(Tasks.endless(10))
                .consumers(4)
                .continueOnFailure()
                .deadline(Duration.ofMillis(1))
                .grace(Duration.ofMillis(1));

        assertThatThrownBy(() -> taskFlow.run(task -> StopTest.awaitUninterruptibly(release)))
                .isInstanceOfSatisfying(
                        TaskFlowException.class,
                        e -> assertThat(e.report().abandoned()).isBetween(17, 30))
                .hasRootCauseMessage("too many consumers ignored an interrupt: abandoned=17, consumers=4."
                        + " A task must end when its thread is interrupted");
        release.countDown();
    }

    @Test
    void tasksThatComputeOnAllProcessorsTimeOut() {
        AtomicBoolean enough = new AtomicBoolean();
        int consumers = 2 * Runtime.getRuntime().availableProcessors();

        TaskFlowReport<Integer> report = TaskFlow.of(numbers(consumers))
                .consumers(consumers)
                .continueOnFailure()
                .deadline(SHORT)
                .run(task -> {
                    while (!enough.get() && !Thread.currentThread().isInterrupted()) {
                        Thread.onSpinWait();
                    }
                });
        enough.set(true);

        assertThat(report.counts()).isEqualTo(counts(0, 0, consumers, 0));
    }

    @Test
    void timeSpentWaitingForTheRateLimitDoesNotCountAgainstTheDeadline() {
        TaskFlowReport<Integer> report = TaskFlow.of(numbers(60))
                .consumers(30)
                .continueOnFailure()
                .rate(60)
                .deadline(ENOUGH)
                .run(task -> {});

        assertThat(report.counts()).isEqualTo(counts(60, 0, 0, 0));
    }

    @Test
    void flowWithUnreadResultsCanBeClosedWhileAConsumerIsAbandoned() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch taskStarted = new CountDownLatch(2);
        Results<Integer, Integer> results = TaskFlow.from(Tasks.endless(1))
                .buffer(1)
                .consumers(2)
                .continueOnFailure()
                .deadline(SHORT)
                .grace(SHORT)
                .results(task -> {
                    taskStarted.countDown();
                    if (task == 0) {
                        StopTest.awaitUninterruptibly(release);
                    }
                    return task;
                });
        taskStarted.await();
        while (results.counts().succeeded() < 1) {
            Thread.onSpinWait();
        }
        results.close();
        release.countDown();

        assertThat(results.counts().pending()).isZero();
    }
}
