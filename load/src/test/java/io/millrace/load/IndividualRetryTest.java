// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.Outcome;
import io.millrace.load.source.Column;
import io.millrace.load.source.Row;
import io.millrace.load.target.HashTarget;
import io.millrace.load.target.ListTarget;
import io.millrace.load.target.RowMapping;
import io.millrace.load.target.StringTarget;
import io.millrace.load.target.Target;
import io.millrace.resp.Reply.ErrorReply;
import io.millrace.resp.Reply.IntegerReply;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class IndividualRetryTest {

    private static final Outcome REFUSED = new Outcome.Failed(new ErrorReply("NOREPLICAS Not enough good replicas"));
    private static final Outcome NO_SCRIPT = new Outcome.Failed(new ErrorReply("NOSCRIPT No matching script"));
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
