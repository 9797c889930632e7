// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import static io.millrace.tasks.Tasks.endless;
import static io.millrace.tasks.Tasks.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ResultsTest {

    @Test
    void orderedResultsFollowTheOrderOfTheirTasks() {
        try (Results<Integer, Integer> results = TaskFlow.of(numbers(5_000))
                .buffer(10)
                .consumers(8)
                .orderedResults(task -> {
                    if (task % 7 == 0) {
                        LockSupport.parkNanos(50_000);
                    }
                    return task * 2;
                })) {

            List<Integer> values = results.stream().map(ResultsTest::result).toList();

            assertThat(values).isEqualTo(numbers(5_000).stream().map(n -> n * 2).toList());
            assertThat(results.report().counts().succeeded()).isEqualTo(5_000);
        }
    }

    @Test
    void orderedResultsOfABatchAreConsecutiveEvenWithSeveralSources() {
        List<Source<Integer>> sources = new ArrayList<>();
        for (Range range : new Range(0, 1_000).split(4)) {
            var remaining = new ArrayList<>(numbers((int) range.from(), (int) range.to()));
            sources.add(() -> {
                List<Integer> batch = List.copyOf(remaining.subList(0, Math.min(10, remaining.size())));
                remaining.subList(0, batch.size()).clear();
                return batch;
            });
        }

        List<Integer> values;
        try (Results<Integer, Integer> results =
                TaskFlow.from(sources).buffer(7).consumers(3).orderedResults(task -> task)) {
            values = results.stream().map(ResultsTest::result).toList();
        }

        assertThat(values).containsExactlyInAnyOrderElementsOf(numbers(1_000));
        for (int i = 0; i < values.size(); i += 10) {
            assertThat(values.subList(i, i + 10)).isEqualTo(numbers(values.get(i), values.get(i) + 10));
        }
    }

    @Test
    void orderedResultsAndSequentialKeysDoNotDeadlock() {
        try (Results<Integer, Integer> results = TaskFlow.of(numbers(2_000))
                .buffer(3)
                .consumers(2)
                .sequentialPer(task -> task % 2 == 0 ? "even" : task)
                .orderedResults(task -> task)) {

            assertThat(results.stream().map(ResultsTest::result).toList()).isEqualTo(numbers(2_000));
        }
    }

    @Test
    void resultsArriveInTheOrderOfCompletion() throws Exception {
        CountDownLatch firstTaken = new CountDownLatch(1);
        try (Results<Integer, Integer> results = TaskFlow.of(List.of(1, 2))
                .consumers(2)
                .results(task -> {
                    if (task == 1) {
                        firstTaken.await();
                    }
                    return task;
                })) {

            Outcome<Integer, Integer> first = results.next().orElseThrow();
            firstTaken.countDown();
            Outcome<Integer, Integer> second = results.next().orElseThrow();

            assertThat(first.task()).isEqualTo(2);
            assertThat(second.task()).isEqualTo(1);
            assertThat(results.next()).isEmpty();
        }
    }

    @Test
    void flowWaitsForTheReaderOfItsResults() throws Exception {
        try (Results<Integer, Integer> results =
                TaskFlow.from(endless(1)).buffer(5).consumers(2).results(task -> task)) {
            for (int i = 0; i < 100; i++) {
                results.next();
            }

            // The maximum: 100 tasks whose results were taken, 5 tasks in the result sink, 2 in consumers, 5 in the
            // buffer, and 1 in the source.
            assertThat(results.counts().produced()).isLessThanOrEqualTo(100 + 5 + 2 + 5 + 1);
        }
    }

    @Test
    void readerOfResultsReceivesTheFailureOfTheFlow() throws Exception {
        try (Results<Integer, Integer> results = TaskFlow.of(numbers(10))
                .consumers(1)
                .orderedResults(task -> {
                    if (task == 5) {
                        throw new IOException("refused");
                    }
                    return task;
                })) {
            assertThatThrownBy(() -> {
                        for (Optional<Outcome<Integer, Integer>> next = results.next(); next.isPresent(); ) {
                            next = results.next();
                        }
                    })
                    .isInstanceOf(TaskFlowException.class)
                    .hasRootCauseMessage("refused");
        }
    }

    @Test
    void flowEndsIfTheReaderClosesTheStreamBeforeItsEnd() {
        Results<Integer, Integer> results =
                TaskFlow.from(endless(10)).consumers(4).results(task -> task);
        try (Stream<Outcome<Integer, Integer>> stream = results.stream()) {
            assertThat(stream.limit(10)).hasSize(10);
        }

        assertThat(results.report().ending()).isEqualTo(Ending.CANCELLED);
        assertThat(results.counts().pending()).isZero();
    }

    @Test
    void interruptOfTheReaderEndsTheStream() {
        try (Results<Integer, Integer> results = TaskFlow.from(endless(10)).results(task -> {
            new CountDownLatch(1).await();
            return task;
        })) {
            Thread.currentThread().interrupt();

            assertThatThrownBy(() -> results.stream().toList())
                    .isInstanceOfSatisfying(
                            TaskFlowException.class,
                            e -> assertThat(e.report().ending()).isEqualTo(Ending.INTERRUPTED));
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void taskWithANullResultFails() {
        try (Results<Integer, Object> results =
                TaskFlow.of(numbers(1)).continueOnFailure().results(task -> nullValue())) {
            assertThat(results.stream().toList())
                    .singleElement()
                    .isInstanceOfSatisfying(
                            Outcome.Failed.class,
                            failed -> assertThat(failed.cause())
                                    .hasMessageContaining("a task function returned no result"));
        }
    }

    @Test
    void reportIsNotAvailableBeforeTheFlowHasEnded() {
        try (Results<Integer, Integer> results = TaskFlow.from(endless(1)).results(task -> task)) {
            assertThatThrownBy(results::report)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("flow has not ended");
        }
    }

    @Test
    void orderedResultsAreRejectedWithWorkStealing() {
        assertThatThrownBy(() -> TaskFlow.of(numbers(1)).workStealing().orderedResults(task -> task))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("ordered results are not available with work stealing");
    }

    @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
    private static <T> T nullValue() {
        return null;
    }

    private static <R> R result(Outcome<?, R> outcome) {
        return ((Outcome.Succeeded<?, R>) outcome).result();
    }
}
