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

/** What the user's code throws or gives that it should not. */
class UserErrorsTest {

    @Test
    void aTaskThatIsNullIsTheFaultOfItsSource() {
        Source<Integer> source = UserErrorsTest::oneAndNull;

        assertThatThrownBy(() -> Flow.from(source).run(task -> {}))
                .isInstanceOfSatisfying(
                        FlowException.class,
                        e -> assertThat(e.report().counts()).isEqualTo(counts(0, 0, 0, 1)))
                .hasRootCauseMessage("a source returned a task that is null, among 2");
    }

    @Test
    void aTaskWhoseWeightOrKeyCannotBeHadHasFailed() {
        FlowReport<Integer> report = Flow.of(numbers(10))
                .carryOn()
                .weight(100, task -> task == 3 ? -1 : 10 / (task - 5))
                .oneByOnePer(task -> task == 7 ? new Incomparable() : task)
                .run(task -> {});

        assertThat(report.counts().failed()).isEqualTo(5 + 1 + 1); // 10 / -5 to 10 / -1, 10 / 0, and the key of 7
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
    void aRetryThatCannotJudgeAFailureDoesNotTryAgain() {
        FlowReport<Integer> report = Flow.of(numbers(1))
                .carryOn()
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
