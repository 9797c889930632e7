// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.Outcome;
import io.millrace.client.command.Command;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.command.Replies;
import io.millrace.client.internal.connect.Login;
import io.millrace.client.internal.stats.ReplyCounter;
import io.millrace.client.internal.stats.StatsCounter;
import io.millrace.resp.Reply;
import java.util.function.Consumer;

/**
 * The {@code AUTH} of a renewed login. The client itself sends this command, between the commands of callers. So the
 * stats do not count it, and it needs no permit of the window: a wire has at most one at a time, and {@link
 * SubmissionRing} has spare slots. Its deadline only matters for the detection of a server that hangs: it is never
 * announced as timed out. It is never sent again: the login of the next wire uses the newest credentials.
 */
final class LoginCall extends Submission {

    private static final CommandSpec<Reply> AUTH = CommandSpec.of("AUTH", Replies::raw);

    private final WireLogin login;
    private final Login.Renewed renewed;

    LoginCall(WireLogin login, Login.Renewed renewed, long now, long timeoutNanos) {
        begin(now, now + timeoutNanos);
        this.login = login;
        this.renewed = renewed;
    }

    @Override
    int commands() {
        return 0;
    }

    @Override
    long encodedBytes() {
        return 0;
    }

    @Override
    boolean encode(CommandWriter writer) {
        endPosition = NOT_WRITTEN;
        writer.writeUnfused(auth(), this, 0);
        return true;
    }

    private Command<Reply> auth() {
        String password = renewed.credentials().password().orElseThrow();
        return renewed.credentials()
                .user()
                .map(user -> Command.of(AUTH, user, password))
                .orElseGet(() -> Command.of(AUTH, password));
    }

    @Override
    boolean reply(Reply reply, ReplyCounter replyCounter) {
        login.answered(renewed, reply);
        return true;
    }

    @Override
    boolean decide(Outcome outcome, StatsCounter stats) {
        return false;
    }

    /** Returns false: the next wire does not need this command. */
    @Override
    boolean decideLost(Loss loss, StatsCounter stats) {
        return false;
    }

    @Override
    void forEachCommand(Outcome outcome, Consumer<String> taker) {}

    @Override
    boolean isDecided() {
        return false;
    }

    @Override
    public boolean isAnswered() {
        return false;
    }

    @Override
    void announce() {}
}
