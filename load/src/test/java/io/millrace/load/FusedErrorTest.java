// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.load.source.Column;
import io.millrace.load.target.BitmapTarget;
import io.millrace.load.target.HashFieldTarget;
import io.millrace.load.target.HashTarget;
import io.millrace.load.target.ListTarget;
import io.millrace.load.target.RowMapping;
import io.millrace.load.target.StringTarget;
import io.millrace.load.target.Target;
import io.millrace.resp.Reply.ErrorReply;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FusedErrorTest {

    private static final RowMapping STRING = bound(StringTarget.of("c:{id}", "id"));
    private static final RowMapping FIELD =
            bound(HashFieldTarget.of("all", "{id}").withValue("id"));

    private static RowMapping bound(Target target) {
        return target.bind(List.of(new Column("id")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"NOPERM No permissions to access a key", "ERR something else", "CROSSSLOT Keys in request"})
    void errorReplyToAFusedSetMayBelongToAnotherRow(String message) {
        assertThat(FusedError.mayBeOfAnotherRow(STRING, new ErrorReply(message, true)))
                .isTrue();
    }

    @Test
    void errorReplyToAFusedScriptMayBelongToAnotherRowUnlessARetryWouldAddTheRowAgain() {
        Duration minute = Duration.ofMinutes(1);
        RowMapping hash = bound(HashTarget.of("c:{id}").withTtl(minute));
        RowMapping bits = bound(BitmapTarget.of("b", "id"));
        RowMapping list = bound(ListTarget.of("l").withValue("id").withTtl(minute));
        ErrorReply error = new ErrorReply("NOPERM No permissions to access a key", true);

        assertThat(FusedError.mayBeOfAnotherRow(hash, error)).isTrue();
        assertThat(FusedError.mayBeOfAnotherRow(bits, error)).isTrue();
        assertThat(FusedError.mayBeOfAnotherRow(list, error)).isFalse();
        assertThat(FusedError.mayBeOfAnotherRow(hash, new ErrorReply("WRONGTYPE Operation", true)))
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"OOM command not allowed", "READONLY You can't write", "MISCONF Redis is configured"})
    void serverErrorAppliesToEachRow(String message) {
        assertThat(FusedError.mayBeOfAnotherRow(STRING, new ErrorReply(message, true)))
                .isFalse();
    }

    @Test
    void errorReplyToAFusedHsetAppliesToEveryRow() {
        assertThat(FusedError.mayBeOfAnotherRow(FIELD, new ErrorReply("WRONGTYPE Operation", true)))
                .isFalse();
    }

    @Test
    void errorReplyToACommandThatIsNotFusedAppliesToItsRow() {
        assertThat(FusedError.mayBeOfAnotherRow(STRING, new ErrorReply("NOPERM No permissions")))
                .isFalse();
    }
}
