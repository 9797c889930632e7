// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests sources that have tasks again and again. */
class PollingSourceTest {

    private static final Duration SHORT = Duration.ofMillis(1);
    private static final Duration LONG = Duration.ofHours(1);

    @Test
    void emptyBatchDoesNotEndTheFlow() throws Exception {
        Queue<Integer> due = new ConcurrentLinkedQueue<>(List.of(1));
        CountDownLatch polled = new CountDownLatch(5);
        CountDownLatch done = new CountDownLatch(2);
        Source<Integer> source = Source.polling(SHORT, () -> {
            polled.countDown();
            Integer next = due.poll();
            return next == null ? List.of() : List.of(next);
        });

        RunningTaskFlow<Integer> flow = TaskFlow.from(source).start(task -> done.countDown());
        polled.await(); // several empty batches
        due.add(2);
        done.await();
        boolean endedBefore = flow.isEnded();
        flow.cancel(OnStop.DRAIN);

        assertThat(endedBefore).isFalse();
        assertThat(flow.await().counts().succeeded()).isEqualTo(2);
    }

    @Test
    void cancelledFlowEndsTheWaitOfItsSource() throws Exception {
        CountDownLatch polled = new CountDownLatch(1);
        Source<Integer> source = Source.polling(LONG, () -> {
            polled.countDown();
            return List.of();
        });
        RunningTaskFlow<Integer> flow = TaskFlow.from(source).start(task -> {});
        polled.await();

        flow.cancel();
        TaskFlowReport<Integer> report = flow.await();

        assertThat(report.ending()).isEqualTo(Ending.CANCELLED);
        assertThat(report.abandoned()).isZero();
        assertThat(report.sourceFailures()).isEmpty();
    }

    @Test
    void polledSourceReceivesOutcomesAndTheClose() throws Exception {
        List<String> calls = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch settled = new CountDownLatch(1);
        Source<Integer> source = Source.polling(LONG, new Source<>() {
            private final AtomicInteger polls = new AtomicInteger();

            @Override
            public List<Integer> next() {
                return polls.incrementAndGet() == 1 ? List.of(7) : List.of();
            }

            @Override
            public void settled(Outcome<Integer, ?> outcome) {
                calls.add("settled " + outcome.task());
                settled.countDown();
            }

            @Override
            public void close() {
                calls.add("closed");
            }
        });

        RunningTaskFlow<Integer> flow = TaskFlow.from(source).start(task -> {});
        settled.await();
        flow.cancel();
        TaskFlowReport<Integer> report = flow.await();

        assertThat(report.counts().succeeded()).isEqualTo(1);
        assertThat(calls).containsExactly("settled 7", "closed");
    }

    @Test
    void exceptionOfThePolledSourceIsAFailureOfTheSource() {
        Source<Integer> source = Source.polling(SHORT, () -> {
            throw new IllegalStateException("the database is down");
        });

        assertThatThrownBy(() -> TaskFlow.from(source).run(task -> {}))
                .isInstanceOf(TaskFlowException.class)
                .hasMessageContaining("the database is down");
    }

    @Test
    void intervalOutOfRangeIsRejected() {
        assertThatThrownBy(() -> Source.polling(Duration.ZERO, () -> List.of(1)))
                .hasMessage("interval=zero is out of range: 1 ms to 24 h.");
    }
}
