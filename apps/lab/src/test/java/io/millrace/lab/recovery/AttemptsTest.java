// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.client.FailureKind;
import io.millrace.lab.experiment.Outcomes;
import io.millrace.lab.recovery.Attempts.Attempt;
import io.millrace.lab.recovery.Attempts.Executions;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class AttemptsTest {

    private static final long SECOND = 1_000_000_000;

    private final Attempts attempts = new Attempts();

    private void succeed(long number, double startSeconds, double endSeconds) {
        attempts.add(
                new Attempt(number, (long) (startSeconds * SECOND), (long) (endSeconds * SECOND), Optional.empty()));
    }

    private void fail(long number, double startSeconds, FailureKind kind) {
        attempts.add(
                new Attempt(number, (long) (startSeconds * SECOND), (long) (startSeconds * SECOND), Optional.of(kind)));
    }

    @Test
    void replyToACommandFromBeforeTheFaultIsNoRecovery() {
        succeed(0, 0.9, 1.1);
        succeed(1, 1.2, 1.5);

        assertThat(attempts.secondsToFirstSuccess(SECOND)).hasValue(0.5);
        assertThat(attempts.acknowledgedBefore(SECOND)).isZero();
    }

    @Test
    void clientThatDoesNotRecoverHasNoFirstSuccess() {
        succeed(0, 0.1, 0.2);
        fail(1, 1.2, FailureKind.LOST);

        assertThat(attempts.secondsToFirstSuccess(SECOND)).isEmpty();
        assertThat(attempts.acknowledgedBefore(SECOND)).isEqualTo(1);
    }

    @Test
    void longestGapReachesToTheEndOfTheRound() {
        succeed(0, 0, 0.1);
        succeed(1, 0.3, 0.4);

        assertThat(attempts.longestGapSeconds(SECOND)).isEqualTo(0.6);
    }

    @Test
    void outcomesCountEachKindAndUnfinishedCommandsAsLost() {
        succeed(0, 0, 0.1);
        fail(1, 0, FailureKind.ERROR);
        fail(2, 0, FailureKind.TIMED_OUT);
        fail(3, 0, FailureKind.LOST);

        assertThat(attempts.outcomes(2)).isEqualTo(new Outcomes(1, 1, 1, 0, 3));
    }

    @Test
    void comparisonFindsLostRepeatedAndUnknownCommands() {
        succeed(0, 0, 0.1);
        succeed(1, 0, 0.1);
        succeed(2, 0, 0.1);
        fail(3, 0, FailureKind.TIMED_OUT);
        fail(4, 0, FailureKind.LOST);
        Map<Long, Long> server = Map.of(0L, 1L, 1L, 0L, 2L, 2L, 3L, 1L, 4L, 0L);

        Executions executions =
                attempts.compare(number -> server.getOrDefault(number, 0L).longValue());

        assertThat(executions).isEqualTo(new Executions(1, 1, 1));
    }
}
