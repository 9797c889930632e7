// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import static io.millrace.tasks.Tasks.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
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
    void ringHoldsExactlyItsCapacity(int capacity) {
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
    void bufferLimitsTheNumberOfTasksThatASourceProducesInAdvance() throws Exception {
        int produced = producedWhileConsumersBlock(Tasks.endless(1), taskFlow -> taskFlow.buffer(10));

        // The maximum is 10 tasks in the buffer, 1 task in the consumer, and 1 task in the source. The number may be
        // smaller, because a waiting source is woken only when a quarter of the buffer is free.
        assertThat(produced).isBetween(10, 10 + 1 + 1);
    }

    @Test
    void prefetchLimitsTheNumberOfFetchedBatches() throws Exception {
        int produced = producedWhileConsumersBlock(Tasks.endless(4), taskFlow -> taskFlow.prefetch(2));

        assertThat(produced).isEqualTo(2 * 4);
    }

    @Test
    void tasksThatWaitForAnEarlierTaskOfTheirKeyCountTowardsTheBufferLimit() throws Exception {
        int produced = producedWhileConsumersBlock(
                Tasks.endless(1), taskFlow -> taskFlow.buffer(10).sequentialPer(task -> "all"));

        assertThat(produced).isEqualTo(10 + 1 + 1);
    }

    @Test
    void outOfRangeValuesAreRejected() {
        TaskFlow<Integer> taskFlow = TaskFlow.of(numbers(1));

        assertThatThrownBy(() -> taskFlow.buffer(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("buffer=0 is out of range: 1 to 16,777,216.");
        assertThatThrownBy(() -> taskFlow.consumers(0)).hasMessageStartingWith("consumers=0 is out of range: 1 to");
        assertThatThrownBy(() -> taskFlow.prefetch(0))
                .hasMessageStartingWith("prefetch=0 is out of range: at least 1.");
        assertThatThrownBy(() -> taskFlow.rate(0)).hasMessageStartingWith("rate=0 is out of range: 0.001 to");
        assertThatThrownBy(() -> taskFlow.deadline(Duration.ZERO))
                .hasMessageStartingWith("deadline=zero is out of range: 1 ms to");
        assertThatThrownBy(() -> taskFlow.recordedFailures(-1))
                .hasMessageStartingWith("recordedFailures=-1 is out of range: 0 to");
        assertThatThrownBy(() -> Batching.of(0)).hasMessageStartingWith("tasks=0 is out of range: 1 to");
        assertThatThrownBy(() -> TaskFlow.from(List.of())).hasMessageStartingWith("sources=0 is out of range: 1 to");
    }

    private interface FlowOption {
        TaskFlow<Integer> of(TaskFlow<Integer> taskFlow);
    }

    /**
     * Number of tasks that a source has produced when two conditions are true: the source waits, and the only consumer
     * of the flow is blocked in the first task.
     */
    private static int producedWhileConsumersBlock(Source<Integer> source, FlowOption flowOption) throws Exception {
        AtomicInteger produced = new AtomicInteger();
        Source<Integer> counted = () -> {
            List<Integer> batch = source.next();
            produced.addAndGet(batch.size());
            return batch;
        };
        CountDownLatch taskStarted = new CountDownLatch(1);
        List<Thread> threads = new CopyOnWriteArrayList<>();
        TaskFlow<Integer> taskFlow = TaskFlow.from(counted).consumers(1).threads(body -> {
            Thread thread = Thread.ofVirtual().unstarted(body);
            threads.add(thread);
            return thread;
        });
        try (RunningTaskFlow<Integer> running = flowOption.of(taskFlow).start(task -> {
            taskStarted.countDown();
            new CountDownLatch(1).await();
        })) {
            taskStarted.await();
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
