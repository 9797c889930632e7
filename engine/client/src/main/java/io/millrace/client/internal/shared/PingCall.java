// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.Outcome;
import io.millrace.client.command.Command;
import io.millrace.client.command.Server;
import io.millrace.client.internal.stats.ReplyCounter;
import io.millrace.client.internal.stats.StatsCounter;
import io.millrace.resp.Reply;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * A {@code PING} that the client itself sends after silence, see {@link Liveness}. Any reply is an answer, also an error
 * reply. The stats do not count this command, and it needs no permit of the window: a wire has at most one of {@link
 * Liveness} and one of the pool at a time, and {@link SubmissionRing} has spare slots. It is never sent again.
 */
final class PingCall extends Submission {

    private static final Command<String> PING = Server.ping();

    private enum PingState {
        PENDING,
        ANSWERED,
        FAILED
    }

    /** Pending until a thread decides. A reply changes the state also after a failure. */
    private final AtomicReference<PingState> state = new AtomicReference<>(PingState.PENDING);

    private final SharedConnection owner;

    PingCall(SharedConnection owner, long now, long deadline) {
        begin(now, deadline);
        this.owner = owner;
        this.connection = owner;
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
        if (isDecided()) {
            return false;
        }
        endPosition = NOT_WRITTEN;
        writer.writeUnfused(PING, this, 0);
        return true;
    }

    @Override
    boolean reply(Reply reply, ReplyCounter replyCounter) {
        // Also after the deadline: the reply shows that the server replies, and the wire may not have ended.
        state.set(PingState.ANSWERED);
        owner.sendHeldBack();
        return true;
    }

    @Override
    boolean decide(Outcome outcome, StatsCounter stats) {
        return state.compareAndSet(PingState.PENDING, PingState.FAILED);
    }

    /** Decides the outcome and returns false: this command is not sent over the next wire. */
    @Override
    boolean decideLost(Loss loss, StatsCounter stats) {
        state.compareAndSet(PingState.PENDING, PingState.FAILED);
        return false;
    }

    @Override
    void forEachCommand(Outcome outcome, Consumer<String> taker) {}

    @Override
    boolean isDecided() {
        return state.get() != PingState.PENDING;
    }

    @Override
    public boolean isAnswered() {
        return state.get() == PingState.ANSWERED;
    }

    @Override
    void announce() {
        announceToWaiter();
    }
}
