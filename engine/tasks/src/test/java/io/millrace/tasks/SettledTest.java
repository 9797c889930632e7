// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import static io.millrace.tasks.Tasks.counts;
import static io.millrace.tasks.Tasks.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the outcomes that a source receives for its tasks. */
class SettledTest {

    /** Produces batches and records the outcomes. Each task must be settled at most once. */
    private static final class RecordingSource implements Source<Integer> {

        private final Queue<List<Integer>> batches;
        private final Map<Integer, Outcome<Integer, ?>> outcomes = new ConcurrentHashMap<>();
        private final AtomicInteger repeated = new AtomicInteger();
        private final AtomicInteger interrupted = new AtomicInteger();
        private volatile boolean closed;

        RecordingSource(List<List<Integer>> batches) {
            this.batches = new ArrayDeque<>(batches);
        }

        @Override
        public List<Integer> next() {
            List<Integer> batch = batches.poll();
            return batch == null ? List.of() : batch;
        }

        @Override
        public void settled(Outcome<Integer, ?> outcome) {
            assertThat(closed).isFalse();
            if (Thread.currentThread().isInterrupted()) {
                interrupted.incrementAndGet();
            }
            if (outcomes.put(outcome.task(), outcome) != null) {
                repeated.incrementAndGet();
            }
        }

        @Override
        public void close() {
            assertThat(closed).isFalse();
            closed = true;
        }

        long count(Class<?> kind) {
            return outcomes.values().stream().filter(kind::isInstance).count();
        }
    }

    @Test
    void sourceReceivesEachOutcomeOnce() {
        var source = new RecordingSource(List.of(numbers(0, 40), numbers(40, 100)));

        TaskFlowReport<Integer> report = TaskFlow.from(source)
                .consumers(4)
                .continueOnFailure()
                .deadline(Duration.ofSeconds(2))
                .run(task -> {
                    if (task % 10 == 3) {
                        throw new IOException("refused");
                    }
                    if (task == 50) {
                        new CountDownLatch(1).await();
                    }
                });

        assertThat(report.counts()).isEqualTo(counts(89, 10, 1, 0));
        assertThat(source.outcomes).hasSize(100);
        assertThat(source.repeated).hasValue(0);
        assertThat(source.count(Outcome.Succeeded.class)).isEqualTo(89);
        assertThat(source.count(Outcome.Failed.class)).isEqualTo(10);
        assertThat(source.outcomes.get(50)).isInstanceOf(Outcome.TimedOut.class);
        assertThat(source.closed).isTrue();
    }

    /** Repeated, because the cancellation interrupts the source at a random moment. */
    @RepeatedTest(100)
    void sourceReceivesItsCancelledTasksWhetherTheyWereStartedOrNot() throws Exception {
        var source = new RecordingSource(List.of(numbers(100)));
        CountDownLatch taskStarted = new CountDownLatch(2);

        TaskFlowReport<Integer> report;
        try (RunningTaskFlow<Integer> flow = TaskFlow.from(source)
                .buffer(10)
                .consumers(2)
                .start(task -> {
                    taskStarted.countDown();
                    new CountDownLatch(1).await();
                })) {
            taskStarted.await();
            flow.cancel();
            report = flow.await();
        }

        assertThat(report.counts()).isEqualTo(counts(0, 0, 0, 100));
        assertThat(source.outcomes).hasSize(100);
        assertThat(source.repeated).hasValue(0);
        assertThat(source.outcomes.values().stream().mapToInt(Outcome::attempts).sum())
                .isEqualTo(2);
        assertThat(source.interrupted).hasValue(0);
        assertThat(source.closed).isTrue();
    }

    @Test
    void tasksThatASourceReturnedTooLateAreReportedToTheSourceAsCancelled() throws Exception {
        CountDownLatch fetching = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        CountDownLatch outcomes = new CountDownLatch(5);
        AtomicInteger interrupted = new AtomicInteger();
        Source<Integer> slow = new Source<>() {
            @Override
            public List<Integer> next() {
                fetching.countDown();
                StopTest.awaitUninterruptibly(ended);
                return numbers(5);
            }

            @Override
            public void settled(Outcome<Integer, ?> outcome) {
                if (Thread.currentThread().isInterrupted()) {
                    interrupted.incrementAndGet();
                }
                if (outcome instanceof Outcome.Cancelled) {
                    outcomes.countDown();
                }
                throw new IllegalStateException("the source cannot record the outcome");
            }
        };

        RunningTaskFlow<Integer> flow =
                TaskFlow.from(slow).grace(Duration.ofMillis(10)).start(task -> {});
        fetching.await();
        flow.cancel();
        TaskFlowReport<Integer> report = flow.await();
        ended.countDown();

        outcomes.await();
        assertThat(report.counts()).isEqualTo(counts(0, 0, 0, 0));
        assertThat(report.abandoned()).isEqualTo(1);
        assertThat(interrupted).hasValue(0);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 10})
    void interruptSetByTheListenerReachesNoOtherCode(int batch) {
        var source = new RecordingSource(List.of(numbers(100)));
        AtomicInteger interrupted = new AtomicInteger();

        TaskFlowReport<Integer> report = TaskFlow.from(source)
                .consumers(2)
                .listener(outcome -> Thread.currentThread().interrupt())
                .batches(Batching.of(batch))
                .run(tasks -> interrupted.addAndGet(Thread.currentThread().isInterrupted() ? 1 : 0));

        assertThat(report.counts()).isEqualTo(counts(100, 0, 0, 0));
        assertThat(source.interrupted).hasValue(0);
        assertThat(interrupted).hasValue(0);
    }

    @Test
    void closeMethodOfASourceIsInterruptedIfItDoesNotReturn() {
        AtomicBoolean interrupted = new AtomicBoolean();
        Source<Integer> stuck = new Source<>() {
            @Override
            public List<Integer> next() {
                return List.of();
            }

            @Override
            public void close() throws InterruptedException {
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException e) {
                    interrupted.set(true);
                    throw e;
                }
            }
        };

        assertThatThrownBy(
                        () -> TaskFlow.from(stuck).grace(Duration.ofMillis(10)).run(task -> {}))
                .isInstanceOf(TaskFlowException.class)
                .hasRootCauseInstanceOf(InterruptedException.class);
        assertThat(interrupted).isTrue();
    }

    @Test
    void allSourcesAreClosedWhenAThreadCannotBeCreated() {
        var first = new RecordingSource(List.of(numbers(5)));
        var second = new RecordingSource(List.of(numbers(5, 10)));
        AtomicInteger made = new AtomicInteger();
        TaskFlow<Integer> taskFlow = TaskFlow.from(List.of(first, second))
                .consumers(1)
                .threads(body -> {
                    if (made.incrementAndGet() == 3) {
                        throw new IllegalStateException("no more threads");
                    }
                    return Thread.ofVirtual().unstarted(body);
                });

        assertThatThrownBy(() -> taskFlow.run(task -> {}))
                .isInstanceOfSatisfying(
                        TaskFlowException.class,
                        e -> assertThat(e.report().ending()).isEqualTo(Ending.SOURCE_FAILED))
                .hasRootCauseMessage("no more threads");
        assertThat(first.closed).isTrue();
        assertThat(second.closed).isTrue();
    }
}
