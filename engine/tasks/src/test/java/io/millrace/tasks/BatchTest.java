// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import static io.millrace.tasks.Tasks.counts;
import static io.millrace.tasks.Tasks.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;

class BatchTest {

    @Test
    void batchesHaveTheConfiguredSize() {
        List<Integer> sizes = Collections.synchronizedList(new ArrayList<>());
        Set<Integer> seen = ConcurrentHashMap.newKeySet();

        TaskFlowReport<Integer> report = TaskFlow.of(numbers(1_000))
                .consumers(2)
                .batches(Batching.of(64).within(Duration.ofSeconds(10)))
                .run(batch -> {
                    sizes.add(batch.tasks().size());
                    seen.addAll(batch.tasks());
                });

        assertThat(report.counts()).isEqualTo(counts(1_000, 0, 0, 0));
        assertThat(seen).hasSize(1_000);
        assertThat(sizes.stream().filter(size -> size < 64)).hasSizeLessThanOrEqualTo(2);
        assertThat(sizes).allMatch(size -> size <= 64);
    }

    @Test
    void batchThatIsNotFullRunsAfterTheCollectionTime() throws Exception {
        BlockingQueue<Integer> tasks = new LinkedBlockingQueue<>(List.of(1, 2));
        CountDownLatch done = new CountDownLatch(1);
        Source<Integer> source = () -> {
            int task = tasks.take();
            return task < 0 ? List.of() : List.of(task);
        };
        List<List<Integer>> batches = Collections.synchronizedList(new ArrayList<>());

        try (RunningTaskFlow<Integer> flow = TaskFlow.from(source)
                .consumers(1)
                .batches(Batching.of(100).within(Duration.ofMillis(5)))
                .start(batch -> {
                    batches.add(batch.tasks());
                    if (batch.tasks().contains(2)) {
                        done.countDown();
                    }
                })) {
            done.await();
            tasks.add(-1);
            flow.await();
        }

        assertThat(batches.stream().flatMap(List::stream)).containsExactly(1, 2);
    }

    @Test
    void taskOfABatchCanFailWhileTheOtherTasksSucceed() {
        TaskFlowReport<Integer> report = TaskFlow.of(numbers(100))
                .continueOnFailure()
                .batches(Batching.of(10))
                .run(batch -> {
                    for (int i = 0; i < batch.tasks().size(); i++) {
                        if (batch.tasks().get(i) % 10 == 3) {
                            batch.fail(i, new IOException("refused"));
                        }
                    }
                });

        assertThat(report.counts()).isEqualTo(counts(90, 10, 0, 0));
    }

    @Test
    void onlyFailedTasksOfABatchAreRetried() {
        List<List<Integer>> attempts = Collections.synchronizedList(new ArrayList<>());

        TaskFlowReport<Integer> report = TaskFlow.of(numbers(6))
                .consumers(1)
                .retry(Retry.of(3).backoff(Duration.ZERO, Duration.ZERO))
                .batches(Batching.of(6).within(Duration.ofSeconds(10)))
                .run(batch -> {
                    attempts.add(batch.tasks());
                    if (attempts.size() == 1) {
                        batch.fail(1, new IOException("busy"));
                        batch.fail(4, new IOException("busy"));
                    } else if (attempts.size() == 2) {
                        batch.fail(1, new IOException("busy"));
                    }
                });

        assertThat(attempts).containsExactly(numbers(6), List.of(1, 4), List.of(4));
        assertThat(report.counts()).isEqualTo(new TaskCounts(6, 6, 0, 0, 0, 0, 3));
    }

    @Test
    void exceptionOfABatchIsTheFailureOfAllTasksThatWereNotMarkedAsFailed() {
        TaskFlowReport<Integer> report = TaskFlow.of(numbers(3))
                .consumers(1)
                .continueOnFailure()
                .batches(Batching.of(3).within(Duration.ofSeconds(10)))
                .run(batch -> {
                    batch.fail(1, new IOException("its own"));
                    throw new IllegalStateException("of all");
                });

        assertThat(report.failures())
                .extracting(outcome ->
                        ((Outcome.Failed<Integer, ?>) outcome).cause().getMessage())
                .containsExactly("of all", "its own", "of all");
    }

    @Test
    void eachResultOfABatchIsAssignedToItsTask() {
        try (Results<Integer, Integer> results = TaskFlow.of(numbers(1_000))
                .consumers(3)
                .batches(Batching.of(7))
                .orderedResults(
                        batch -> batch.tasks().stream().map(task -> -task).toList())) {
            assertThat(results.stream())
                    .extracting(outcome -> ((Outcome.Succeeded<Integer, Integer>) outcome).result())
                    .isEqualTo(numbers(1_000).stream().map(task -> -task).toList());
        }
    }

    @Test
    void batchWithTooFewResultsFails() {
        try (Results<Integer, Integer> results = TaskFlow.of(numbers(4))
                .consumers(1)
                .batches(Batching.of(4).within(Duration.ofSeconds(10)))
                .results(batch -> List.of(1, 2, 3))) {
            assertThatThrownBy(() -> results.stream().toList())
                    .isInstanceOf(TaskFlowException.class)
                    .hasRootCauseMessage("a batch function returned a wrong number of results: tasks=4, results=3."
                            + " Return one result for each task.");
        }
    }

    @Test
    void batchDoesNotWaitForTasksThatCanBeAddedOnlyAfterTheBatchHasRun() {
        try (Results<Integer, Integer> results = TaskFlow.of(numbers(500))
                .buffer(10)
                .consumers(2)
                .batches(Batching.of(20).within(Duration.ofHours(1)))
                .orderedResults(Batch::tasks)) {
            assertThat(results.stream()).hasSize(500);
        }
    }
}
