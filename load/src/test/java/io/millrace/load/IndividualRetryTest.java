// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.Outcome;
import io.millrace.client.command.CommandSpec;
import io.millrace.load.source.Column;
import io.millrace.load.source.Row;
import io.millrace.load.target.HashImport;
import io.millrace.load.target.HashRestore;
import io.millrace.load.target.HashTarget;
import io.millrace.load.target.ListTarget;
import io.millrace.load.target.RowMapping;
import io.millrace.load.target.StringTarget;
import io.millrace.load.target.Target;
import io.millrace.resp.Reply.ErrorReply;
import io.millrace.resp.Reply.IntegerReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class IndividualRetryTest {

    private static final Outcome REFUSED = new Outcome.Failed(new ErrorReply("NOREPLICAS Not enough good replicas"));
    private static final Outcome NO_SCRIPT = new Outcome.Failed(new ErrorReply("NOSCRIPT No matching script"));
    private static final HashTarget HASH = HashTarget.of("k:{id}");
    private static final Outcome LOST = new Outcome.Lost(true, "reset");
    private static final Outcome WRITTEN = new Outcome.Ok(new IntegerReply(1));

    @Test
    void executedRowBehindARefusedRowOfItsKeyIsRetriedSoThatTheLastRowWins() {
        IndividualRetry retry = retry(StringTarget.of("k:{id}", "id"));

        assertThat(needsRetry(retry, StringTarget.of("k:{id}", "id"), REFUSED)).isTrue();
        assertThat(needsRetry(retry, StringTarget.of("k:{id}", "id"), WRITTEN)).isTrue();
    }

    static Stream<Target> targetsWhoseRowsMustNotBeExecutedTwice() {
        return Stream.of(ListTarget.of("k"), HashTarget.of("k:{id}").withOnlyMissing());
    }

    @ParameterizedTest
    @MethodSource("targetsWhoseRowsMustNotBeExecutedTwice")
    void executedRowIsNotRetriedIfARepetitionChangesTheResult(Target target) {
        IndividualRetry retry = retry(target);

        assertThat(needsRetry(retry, target, REFUSED)).isTrue();
        assertThat(needsRetry(retry, target, WRITTEN)).isFalse();
    }

    @Test
    void rowWithoutItsScriptIsRetriedAlsoIfItWouldBeAddedAgain() {
        Target list = ListTarget.of("k").withTtl(Duration.ofHours(1));
        RowMapping mapping = bound(list);
        IndividualRetry retry = new IndividualRetry(false, mapping, bound(list));

        assertThat(retry.needsRetry(row(), mapping.repeatedCommand(), NO_SCRIPT, false))
                .isTrue();
        assertThat(retry.needsRetry(row(), mapping.command(), NO_SCRIPT, false)).isFalse();
    }

    static Stream<Arguments> refusalsThatConcernOnlyTheFirstCommand() {
        RowMapping hash = bound(HASH);
        RowMapping expiringList = bound(ListTarget.of("k").withTtl(Duration.ofHours(1)));
        return Stream.of(
                Arguments.of(hash, HashRestore.RESTORE, failed("BUSYKEY Target key name already exists.")),
                Arguments.of(
                        hash, HashRestore.RESTORE, failed("NOPERM this user has no permissions to run the 'restore'")),
                Arguments.of(hash, HashImport.SET, failed("ERR no such fieldset")),
                Arguments.of(expiringList, expiringList.repeatedCommand(), NO_SCRIPT));
    }

    @ParameterizedTest
    @MethodSource("refusalsThatConcernOnlyTheFirstCommand")
    void rowWhoseRetryIsNeverSentIsCertainlyNotWrittenAndNotRejected(
            RowMapping mapping, CommandSpec<?> command, Outcome refusal) {
        IndividualRetry retry = new IndividualRetry(false, mapping, mapping);
        assertThat(retry.needsRetry(row(), command, refusal, false)).isTrue();
        List<Outcome> outcomes = new ArrayList<>();

        retry.giveUp((row, outcome) -> outcomes.add(outcome));

        assertThat(outcomes).containsExactly(new Outcome.Lost(false, "the load has stopped"));
    }

    @Test
    void rowThatTheServerRefusedForATimeKeepsItsErrorIfItsRetryIsNeverSent() {
        IndividualRetry retry = retry(HASH);
        assertThat(needsRetry(retry, HASH, REFUSED)).isTrue();
        List<Outcome> outcomes = new ArrayList<>();

        retry.giveUp((row, outcome) -> outcomes.add(outcome));

        assertThat(outcomes).containsExactly(REFUSED);
    }

    @Test
    void rowWithoutReplyIsWrittenAgainAfterALossIfARepetitionChangesNothing() {
        IndividualRetry retry = retry(HASH);
        Row row = row();

        assertThat(retry.needsRetry(row, bound(HASH).command(), LOST, true)).isTrue();
        assertThat(retry.takeRows()).hasSize(1);
        assertThat(retry.finalOutcome(row, WRITTEN)).isEqualTo(WRITTEN);
    }

    @ParameterizedTest
    @MethodSource("targetsWhoseRowsMustNotBeExecutedTwice")
    void rowWithoutReplyIsNotWrittenAgainIfARepetitionChangesTheResult(Target target) {
        assertThat(needsRetry(retry(target), target, LOST)).isFalse();
    }

    @Test
    void rowWithoutReplyIsUnconfirmedIfItsSecondAttemptFailsOrIsNeverMade() {
        IndividualRetry retry = retry(HASH);
        Row row = row();
        List<Outcome> outcomes = new ArrayList<>();

        assertThat(retry.needsRetry(row, bound(HASH).command(), LOST, true)).isTrue();
        retry.giveUp((given, outcome) -> outcomes.add(outcome));
        assertThat(retry.needsRetry(row, bound(HASH).command(), LOST, true)).isTrue();
        Outcome afterRefusal = retry.finalOutcome(row, REFUSED);

        assertThat(outcomes).containsExactly(LOST);
        assertThat(afterRefusal).isEqualTo(new Outcome.TimedOut());
    }

    private static Outcome failed(String error) {
        return new Outcome.Failed(new ErrorReply(error));
    }

    private static boolean needsRetry(IndividualRetry retry, Target target, Outcome outcome) {
        return retry.needsRetry(row(), bound(target).command(), outcome, true);
    }

    private static IndividualRetry retry(Target target) {
        return new IndividualRetry(false, bound(target), bound(target));
    }

    private static RowMapping bound(Target target) {
        return target.bind(List.of(new Column("id")));
    }

    private static Row row() {
        Row row = new Row();
        row.clear(1, 0);
        row.add(42);
        return row;
    }
}
