// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import static io.millrace.tasks.Tasks.counts;
import static io.millrace.tasks.Tasks.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BacklogTest {

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 8, 9, 1_000})
    void aRingHoldsItsCapacityAndNoMore(int capacity) {
        Ring<Integer> ring = new Ring<>(capacity);

        for (int lap = 0; lap < 5; lap++) {
            assertThat(ring.offer(numbers(capacity + 3))).isEqualTo(capacity);
            assertThat(ring.offer(List.of(-1))).isZero();
            assertThat(ring.size()).isEqualTo(capacity);
            for (int i = 0; i < capacity; i++) {
                assertThat(ring.poll()).isEqualTo(i);
            }
            assertThat(ring.poll()).isNull();
        }
    }

    @Test
    void aSourceIsNotAheadOfItsConsumersByMoreThanTheBuffer() throws Exception {
        int produced = producedWhileNobodyConsumes(Tasks.endless(1), flow -> flow.buffer(10));

        // In the buffer, with the consumer, in the source's hand; it comes back when a quarter of the buffer is free.
        assertThat(produced).isBetween(10, 10 + 1 + 1);
    }

    @Test
    void aSourceIsNotAheadOfItsConsumersByMoreThanTheWeight() throws Exception {
        int produced = producedWhileNobodyConsumes(Tasks.endless(1), flow -> flow.weight(50, task -> 10));

        assertThat(produced).isEqualTo(5 + 1 + 1);
    }

    @Test
    void aSourceFetchesOnlyAsManyBatchesAhead() throws Exception {
        int produced = producedWhileNobodyConsumes(Tasks.endless(4), flow -> flow.prefetch(2));

        assertThat(produced).isEqualTo(2 * 4);
    }

    @Test
    void tasksThatWaitForTheirKeyFillTheBufferToo() throws Exception {
        int produced = producedWhileNobodyConsumes(
                Tasks.endless(1), flow -> flow.buffer(10).oneByOnePer(task -> "all"));

        assertThat(produced).isEqualTo(10 + 1 + 1);
    }

    @Test
    void aHeavyTaskWaitsUntilItIsAlone() throws Exception {
        Iterator<Integer> weights = List.of(1, 2, 100, 3).iterator();

        int produced = producedWhileNobodyConsumes(() -> List.of(weights.next()), flow -> flow.weight(5, task -> task));

        assertThat(produced).isEqualTo(1 + 1 + 1); // begun, in the buffer, and the heavy one in its source's hand
    }

    @Test
    void aTaskThatIsHeavierThanAllMayBeIsDoneNevertheless() {
        AtomicInteger lighter = new AtomicInteger();

        FlowReport<Integer> report = Flow.of(List.of(1, 2, 100, 3, 4))
                .consumers(1)
                .weight(5, task -> task)
                .run(task -> lighter.addAndGet(task));

        assertThat(report.counts()).isEqualTo(counts(5, 0, 0, 0));
    }

    @Test
    void valuesOutOfRangeAreRefused() {
        Flow<Integer> flow = Flow.of(numbers(1));

        assertThatThrownBy(() -> flow.buffer(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("buffer is out of range: 0. It is from 1 to 16777216.");
        assertThatThrownBy(() -> flow.consumers(0)).hasMessageStartingWith("consumers is out of range: 0");
        assertThatThrownBy(() -> flow.prefetch(0)).hasMessageStartingWith("prefetch is out of range: 0");
        assertThatThrownBy(() -> flow.weight(0, task -> 1)).hasMessageStartingWith("weight is out of range: 0");
        assertThatThrownBy(() -> flow.rate(0)).hasMessageStartingWith("rate is out of range: 0.0");
        assertThatThrownBy(() -> flow.deadline(Duration.ZERO)).hasMessageStartingWith("deadline is out of range: PT0S");
        assertThatThrownBy(() -> flow.keptFailures(-1)).hasMessageStartingWith("keptFailures is out of range: -1");
        assertThatThrownBy(() -> Batching.of(0)).hasMessageStartingWith("tasks is out of range: 0");
        assertThatThrownBy(() -> Flow.from(List.of())).hasMessageStartingWith("sources is out of range: 0");
    }

    private interface Change {
        Flow<Integer> of(Flow<Integer> flow);
    }

    /** How many tasks a source has produced when it waits, and its one consumer with its first task. */
    private static int producedWhileNobodyConsumes(Source<Integer> source, Change change) throws Exception {
        AtomicInteger produced = new AtomicInteger();
        Source<Integer> counted = () -> {
            List<Integer> batch = source.next();
            produced.addAndGet(batch.size());
            return batch;
        };
        CountDownLatch begun = new CountDownLatch(1);
        List<Thread> threads = new CopyOnWriteArrayList<>();
        Flow<Integer> flow = Flow.from(counted).consumers(1).threads(body -> {
            Thread thread = Thread.ofVirtual().unstarted(body);
            threads.add(thread);
            return thread;
        });
        try (RunningFlow<Integer> running = change.of(flow).start(task -> {
            begun.countDown();
            new CountDownLatch(1).await();
        })) {
            begun.await();
            while (!threads.stream().allMatch(BacklogTest::waits)) {
                Thread.onSpinWait();
            }
            return produced.get();
        }
    }

    private static boolean waits(Thread thread) {
        return thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING;
    }
}
