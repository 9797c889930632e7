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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a source is told of the tasks it has produced. */
class SettledTest {

    /** Gives batches, and notes what it is told; each task may be told once. */
    private static final class Telling implements Source<Integer> {

        private final Queue<List<Integer>> batches;
        private final Map<Integer, Outcome<Integer, ?>> told = new ConcurrentHashMap<>();
        private final AtomicInteger twice = new AtomicInteger();
        private final AtomicInteger interrupted = new AtomicInteger();
        private volatile boolean closed;

        Telling(List<List<Integer>> batches) {
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
            if (told.put(outcome.task(), outcome) != null) {
                twice.incrementAndGet();
            }
        }

        @Override
        public void close() {
            assertThat(closed).isFalse();
            closed = true;
        }

        long count(Class<?> kind) {
            return told.values().stream().filter(kind::isInstance).count();
        }
    }

    @Test
    void aSourceIsToldOnceOfEachOutcome() {
        var source = new Telling(List.of(numbers(0, 40), numbers(40, 100)));

        FlowReport<Integer> report = Flow.from(source)
                .consumers(4)
                .carryOn()
                .deadline(Duration.ofMillis(50))
                .run(task -> {
                    if (task % 10 == 3) {
                        throw new IOException("refused");
                    }
                    if (task == 50) {
                        new CountDownLatch(1).await();
                    }
                });

        assertThat(report.counts()).isEqualTo(counts(89, 10, 1, 0));
        assertThat(source.told).hasSize(100);
        assertThat(source.twice).hasValue(0);
        assertThat(source.count(Outcome.Succeeded.class)).isEqualTo(89);
        assertThat(source.count(Outcome.Failed.class)).isEqualTo(10);
        assertThat(source.told.get(50)).isInstanceOf(Outcome.TimedOut.class);
        assertThat(source.closed).isTrue();
    }

    @Test
    void aSourceIsToldOfWhatWasCancelledInHandInTheBufferAndBeforeIt() throws Exception {
        var source = new Telling(List.of(numbers(100)));
        CountDownLatch begun = new CountDownLatch(2);

        FlowReport<Integer> report;
        try (RunningFlow<Integer> flow = Flow.from(source)
                .buffer(10)
                .consumers(2)
                .start(task -> {
                    begun.countDown();
                    new CountDownLatch(1).await();
                })) {
            begun.await();
            flow.cancel();
            report = flow.await();
        }

        assertThat(report.counts()).isEqualTo(counts(0, 0, 0, 100));
        assertThat(source.told).hasSize(100);
        assertThat(source.twice).hasValue(0);
        assertThat(source.told.values().stream().mapToInt(Outcome::attempts).sum())
                .isEqualTo(2);
        assertThat(source.interrupted).hasValue(0);
        assertThat(source.closed).isTrue();
    }

    @Test
    void aSourceIsToldOfWhatItReturnedTooLate() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        CountDownLatch told = new CountDownLatch(5);
        Source<Integer> slow = new Source<>() {
            @Override
            public List<Integer> next() {
                asked.countDown();
                StopTest.awaitWhateverComes(ended);
                return numbers(5);
            }

            @Override
            public void settled(Outcome<Integer, ?> outcome) {
                if (outcome instanceof Outcome.Cancelled) {
                    told.countDown();
                }
            }
        };

        RunningFlow<Integer> flow = Flow.from(slow).grace(Duration.ofMillis(10)).start(task -> {});
        asked.await();
        flow.cancel();
        FlowReport<Integer> report = flow.await();
        ended.countDown();

        told.await();
        assertThat(report.counts()).isEqualTo(counts(0, 0, 0, 0));
        assertThat(report.abandoned()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 10})
    void anInterruptThatTheListenerSetsReachesNobodyElse(int batch) {
        var source = new Telling(List.of(numbers(100)));
        AtomicInteger interrupted = new AtomicInteger();

        FlowReport<Integer> report = Flow.from(source)
                .consumers(2)
                .listener(outcome -> Thread.currentThread().interrupt())
                .batches(Batching.of(batch))
                .run(tasks -> interrupted.addAndGet(Thread.currentThread().isInterrupted() ? 1 : 0));

        assertThat(report.counts()).isEqualTo(counts(100, 0, 0, 0));
        assertThat(source.interrupted).hasValue(0);
        assertThat(interrupted).hasValue(0);
    }

    @Test
    void aSourceThatDoesNotCloseIsInterrupted() {
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

        assertThatThrownBy(() -> Flow.from(stuck).grace(Duration.ofMillis(10)).run(task -> {}))
                .isInstanceOf(FlowException.class)
                .hasRootCauseInstanceOf(InterruptedException.class);
        assertThat(interrupted).isTrue();
    }

    @Test
    void allSourcesAreClosedWhenTheThreadOfOneCannotBeHad() {
        var first = new Telling(List.of(numbers(5)));
        var second = new Telling(List.of(numbers(5, 10)));
        AtomicInteger made = new AtomicInteger();
        Flow<Integer> flow = Flow.from(List.of(first, second)).consumers(1).threads(body -> {
            if (made.incrementAndGet() == 3) {
                throw new IllegalStateException("no more threads");
            }
            return Thread.ofVirtual().unstarted(body);
        });

        assertThatThrownBy(() -> flow.run(task -> {}))
                .isInstanceOfSatisfying(
                        FlowException.class,
                        e -> assertThat(e.report().ending()).isEqualTo(Ending.SOURCE_FAILED))
                .hasRootCauseMessage("no more threads");
        assertThat(first.closed).isTrue();
        assertThat(second.closed).isTrue();
    }
}
