// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.command.Command;
import io.millrace.client.command.Script;
import io.millrace.client.command.ScriptCall;
import io.millrace.client.command.Scripts;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.resp.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** Tests the deadlines and the number of commands of a script call, with a clock that the test advances. */
class ScriptAttemptsTest {

    private static final long DEFAULT_NANOS = 1_000;
    private static final ScriptCall<Reply> SCRIPT = Scripts.run(Script.of("return 1"), List.of(), List.of());

    private final List<String> sent = new ArrayList<>();
    private long nanos = 100;

    /** Fails each command with NOSCRIPT after 300 ns. */
    private <T> T fail(Command<T> command, long now, long deadline) {
        sent.add(command.spec().name() + " " + now + " to " + deadline);
        nanos += 300;
        throw new ErrorReplyException(command.spec().name(), new Reply.ErrorReply("NOSCRIPT missing"));
    }

    private <T> CompletableFuture<T> failLater(Command<T> command, long now, long deadline) {
        try {
            return CompletableFuture.completedFuture(fail(command, now, deadline));
        } catch (ErrorReplyException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Test
    void bothCommandsHaveTheSameDeadlineAndEvalIsSentOnce() {
        assertThatThrownBy(() -> ScriptAttempts.call(SCRIPT, () -> nanos, DEFAULT_NANOS, this::fail))
                .hasMessageContaining("EVAL failed: NOSCRIPT");

        assertThat(sent).containsExactly("EVALSHA 100 to 1100", "EVAL 400 to 1100");
    }

    @Test
    void bothCommandsOfASentScriptHaveTheSameDeadlineAndEvalIsSentOnce() {
        CompletableFuture<Reply> result = ScriptAttempts.send(SCRIPT, () -> nanos, DEFAULT_NANOS, this::failLater);

        assertThatThrownBy(result::join)
                .isInstanceOf(CompletionException.class)
                .hasRootCauseInstanceOf(ErrorReplyException.class);
        assertThat(sent).containsExactly("EVALSHA 100 to 1100", "EVAL 400 to 1100");
    }

    @Test
    void timeLimitOfTheScriptCallReplacesTheDefault() {
        ScriptCall<Reply> limited = SCRIPT.within(Duration.ofMillis(1));

        assertThatThrownBy(() -> ScriptAttempts.call(limited, () -> nanos, DEFAULT_NANOS, this::fail))
                .isInstanceOf(ErrorReplyException.class);
        assertThat(sent).containsExactly("EVALSHA 100 to 1000100", "EVAL 400 to 1000100");
    }

    @Test
    void exceptionOfTheSecondSubmissionEndsTheFuture() {
        ScriptAttempts.AsyncCaller<Reply> caller = (command, now, deadline) -> {
            if (command.spec().name().equals("EVAL")) {
                throw new IllegalStateException("closed");
            }
            return failLater(command, now, deadline);
        };

        CompletableFuture<Reply> result = ScriptAttempts.send(SCRIPT, () -> nanos, DEFAULT_NANOS, caller);

        assertThatThrownBy(result::join).hasRootCauseMessage("closed");
    }
}
