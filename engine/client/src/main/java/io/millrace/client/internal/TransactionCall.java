// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.Command;
import io.millrace.client.Outcome;
import io.millrace.resp.Reply;
import io.millrace.resp.RequestEncoder;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Some commands between {@code MULTI} and {@code EXEC}. Its outcome is that of {@code EXEC}: without it the server executes
 * nothing, so a transaction whose last byte was not taken can be sent again.
 */
final class TransactionCall extends Submission {

    private static final byte[] MULTI = RequestEncoder.encodeName("MULTI");
    private static final byte[] EXEC = RequestEncoder.encodeName("EXEC");

    /** What the two take on the wire, at most. */
    private static final long FRAME_BYTES = 64;

    private final List<Command<?>> commands;
    private final AtomicReference<@Nullable Outcome> outcome = new AtomicReference<>();

    /** Owned by the reader, and by whoever sends while there is none. */
    private int answered;

    /** Why the server will refuse EXEC; written by the reader before the outcome. */
    private Reply.@Nullable ErrorReply refusal;

    /** Whether MULTI itself was refused; written by the reader before the outcome. */
    private boolean notIsolated;

    TransactionCall(List<Command<?>> commands, long now, long deadlineNanos) {
        begin(now, deadlineNanos);
        this.commands = commands;
        awaitedHere();
    }

    @Override
    int commands() {
        return 1;
    }

    @Override
    long encodedBytes() {
        long bytes = FRAME_BYTES;
        for (Command<?> command : commands) {
            bytes += command.encodedBytes();
        }
        return bytes;
    }

    @Override
    boolean encode(CommandWriter writer) {
        if (ended()) {
            return false;
        }
        // What was said over a connection that was lost meanwhile does not count.
        answered = 0;
        refusal = null;
        notIsolated = false;
        endPosition = NOT_WRITTEN;
        writer.write(MULTI, this, 0);
        for (Command<?> command : commands) {
            writer.writeAlone(command, this, 0);
        }
        writer.write(EXEC, this, 0);
        return true;
    }

    @Override
    boolean reply(Reply reply, Tally tally) {
        boolean last = answered == commands.size() + 1;
        if (last) {
            Outcome answer = Outcomes.answered(reply);
            if (outcome.compareAndSet(null, answer)) {
                tally.count(reply);
            } else {
                late();
            }
        } else if (reply instanceof Reply.ErrorReply error) {
            notIsolated |= answered == 0;
            refusal = refusal == null ? error : refusal;
        }
        answered++;
        return last;
    }

    @Override
    boolean end(Outcome decided, Account account) {
        if (!outcome.compareAndSet(null, decided)) {
            return false;
        }
        account.ended(decided);
        return true;
    }

    @Override
    boolean lose(Loss loss, Account account) {
        Outcome lost = loss.of(this, endPosition, false);
        if (lost != null) {
            end(lost, account);
        }
        return !ended();
    }

    @Override
    boolean ended() {
        return outcome.get() != null;
    }

    @Override
    boolean answered() {
        return Outcomes.wasAnswered(outcome.get());
    }

    @Override
    void announce() {
        wakeWaiter();
    }

    /** The outcome, after it has ended. */
    Outcome outcome() {
        return Objects.requireNonNull(outcome.get(), "no outcome yet");
    }

    /** Why the server refused one of the commands, and so all; null if it did not. To be asked after the outcome. */
    Reply.@Nullable ErrorReply refusal() {
        return refusal;
    }

    /** Whether the commands may have run without isolation, because MULTI was refused. */
    boolean notIsolated() {
        return notIsolated;
    }
}
