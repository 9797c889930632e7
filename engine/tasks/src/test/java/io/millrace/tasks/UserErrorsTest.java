// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import static io.millrace.tasks.Tasks.counts;
import static io.millrace.tasks.Tasks.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests user code that throws an exception or returns an invalid value. */
class UserErrorsTest {

    @Test
    void sourceThatReturnsANullTaskFails() {
        Source<Integer> source = UserErrorsTest::oneAndNull;

        assertThatThrownBy(() -> TaskFlow.from(source).run(task -> {}))
                .isInstanceOfSatisfying(
                        TaskFlowException.class,
                        e -> assertThat(e.report().counts()).isEqualTo(counts(0, 0, 0, 1)))
                .hasRootCauseMessage("a source returned a batch with a null task: tasks=2. A task must not be null.");
    }

    @Test
    void taskWhoseKeyCannotBeComputedFails() {
        TaskFlowReport<Integer> report = TaskFlow.of(numbers(10))
                .continueOnFailure()
                .sequentialPer(task -> task == 7 ? new Incomparable() : 10 / (task - 5))
                .run(task -> {});

        assertThat(report.counts().failed()).isEqualTo(1 + 1); // the keys of 5 (10 / 0) and 7 (no hash code)
        assertThat(report.counts().produced()).isEqualTo(10);
        assertThat(report.failures()).allMatch(outcome -> outcome.attempts() == 0);
        assertThat(report.failures()).anyMatch(outcome -> outcome.task() == 7).anyMatch(outcome -> outcome.task() == 5);
    }

    private static final class Incomparable {
        @Override
        public int hashCode() {
            throw new IllegalStateException("no hash");
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Incomparable;
        }
    }

    @Test
    void failureIsNotRetriedIfThePredicateThrows() {
        TaskFlowReport<Integer> report = TaskFlow.of(numbers(1))
                .continueOnFailure()
                .retry(Retry.of(3).on(failure -> {
                    throw new IllegalStateException("cannot judge");
                }))
                .run(task -> {
                    throw new IOException("refused");
                });

        assertThat(report.failures()).singleElement().isInstanceOfSatisfying(Outcome.Failed.class, failed -> {
            assertThat(failed.attempts()).isEqualTo(1);
            assertThat(failed.cause().getSuppressed()).hasSize(1);
        });
    }

    private static List<Integer> oneAndNull() {
        return Arrays.asList(1, null);
    }
}
