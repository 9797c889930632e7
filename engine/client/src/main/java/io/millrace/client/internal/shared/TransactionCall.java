// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.Outcome;
import io.millrace.client.Transaction.Ending;
import io.millrace.client.command.Command;
import io.millrace.client.internal.stats.ReplyCounter;
import io.millrace.client.internal.stats.StatsCounter;
import io.millrace.resp.Reply;
import io.millrace.resp.RequestEncoder;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Commands between {@code MULTI} and {@code EXEC}. Its outcome is the outcome of {@code EXEC}. Without {@code EXEC} the
 * server executes nothing. So a transaction can be sent again if the operating system did not accept its last byte.
 */
final class TransactionCall extends CallerSubmission {

    private static final byte[] MULTI = RequestEncoder.encodeName("MULTI");
    /** Index of {@code EXEC} in the output; all other commands have the index 0. */
    private static final int EXEC_INDEX = 1;

    private static final byte[] ASKING = RequestEncoder.encodeName("ASKING");

    private static final byte[] EXEC = RequestEncoder.encodeName("EXEC");

    /** Maximum bytes of {@code MULTI} and {@code EXEC} on the wire. */
    private static final long FRAME_BYTES = 64;

    /** Written by the submitting thread; replaced by the waiting thread, see {@link CallerSubmission}. */
    private volatile List<Command<?>> commands;

    private final AtomicReference<@Nullable Outcome> outcome = new AtomicReference<>();

    /** Number of replies received. Owned by the reader, and by the sending thread while there is no reader. */
    private int isAnswered;

    /** Why the server will refuse EXEC; written by the reader before the outcome. */
    private Reply.@Nullable ErrorReply refusal;

    /** Whether MULTI itself was refused; written by the reader before the outcome. */
    private boolean notIsolated;

    /** Whether the reply to {@code ASKING} is owed. Written by the sender; handed to the reader through the ring. */
    private boolean awaitsAsking;

    /** Reader: whether the replies have redirected the transaction to another node. */
    private boolean isRedirected;

    /**
     * The reply to EXEC, if the server has temporarily refused the transaction; otherwise null. Written by the reader
     * before this call is in the {@link RetryQueue}; read by the thread that takes the call from there.
     */
    private Reply.@Nullable ErrorReply refusedExec;

    /** The future to complete, and the function that computes its value; null if a thread waits instead. */
    private final @Nullable FutureCompletion<Ending> futureCompletion;

    private final Function<TransactionCall, Ending> ending;

    TransactionCall(
            List<Command<?>> commands,
            long now,
            long deadlineNanos,
            @Nullable FutureCompletion<Ending> futureCompletion,
            Function<TransactionCall, Ending> ending) {
        begin(now, deadlineNanos);
        this.commands = commands;
        this.futureCompletion = futureCompletion;
        this.ending = ending;
        if (futureCompletion == null) {
            setCurrentThreadAsWaiter();
        }
    }

    @Override
    public int hashSlot() {
        int common = -1;
        Command<?> first = null;
        for (Command<?> command : commands) {
            int slot = command.hashSlot();
            if (slot >= 0 && common >= 0 && slot != common) {
                throw new IllegalArgumentException("the keys of a transaction must have one hash slot, but "
                        + Objects.requireNonNull(first).spec().name() + " has the hash slot " + common + ", and "
                        + command.spec().name() + " has the hash slot " + slot
                        + ". Give the keys a common hash tag, such as {user:1}:name and {user:1}:mail.");
            }
            if (slot >= 0) {
                common = slot;
                first = command;
            }
        }
        return common;
    }

    @Override
    public List<ByteBuffer> keys() {
        return commands.stream()
                .flatMap(command -> CommandKeys.of(command).stream())
                .toList();
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
        long before = endPosition;
        endPosition = NOT_WRITTEN;
        if (isDecided()) {
            endPosition = before;
            return false;
        }
        // Replies that arrived over a lost connection do not count.
        isAnswered = 0;
        refusal = null;
        notIsolated = false;
        refusedExec = null;
        isRedirected = false;
        awaitsAsking = asks();
        if (awaitsAsking) {
            // The server allows all commands up to EXEC to use the slot, because the transaction begins after ASKING.
            writer.write(ASKING, this, 0);
        }
        writer.write(MULTI, this, 0);
        for (Command<?> command : commands) {
            writer.writeUnfused(command, this, 0);
        }
        writer.write(EXEC, this, EXEC_INDEX);
        return true;
    }

    /** Only the end of {@code EXEC} ends the encoding: until then, the sender reads arguments. */
    @Override
    void endsAt(int index, long position) {
        if (index == EXEC_INDEX) {
            super.endsAt(index, position);
        }
    }

    @Override
    boolean reply(Reply reply, ReplyCounter replyCounter) {
        if (awaitsAsking) {
            // If the node refuses ASKING, it also refuses the commands.
            awaitsAsking = false;
            return false;
        }
        boolean last = isAnswered == commands.size() + 1;
        isRedirected = last && reply instanceof Reply.ErrorReply exec && isRedirectedBy(exec, refusal);
        if (isRedirected) {
            return true;
        }
        if (last && reply instanceof Reply.ErrorReply error && isSentAgainAfter(error)) {
            refusedExec = error;
        } else if (last) {
            Outcome answer = Outcomes.answered(reply);
            if (outcome.compareAndSet(null, answer)) {
                replyCounter.count(reply);
            } else {
                late();
            }
            answered(reply);
        } else if (reply instanceof Reply.ErrorReply error) {
            notIsolated |= isAnswered == 0;
            refusal = refusal == null ? error : refusal;
        }
        isAnswered++;
        return last;
    }

    /**
     * Whether a node has redirected this transaction. Then the node has executed no command.
     *
     * @param exec the reply to EXEC: a redirect if the slot has moved after the last command
     * @param refused the first error reply to a command of the transaction; null if there is none
     */
    private boolean isRedirectedBy(Reply.ErrorReply exec, Reply.@Nullable ErrorReply refused) {
        return !notIsolated && isRedirectedBy(refused == null ? TemporaryRefusal.reasonOf(exec) : refused);
    }

    @Override
    boolean isRedirected() {
        return isRedirected;
    }

    /**
     * Whether the transaction is sent again after {@code error}, the reply to EXEC. If EXEC fails, the server has
     * executed no command. But if MULTI was refused, the server may have executed the commands one by one.
     */
    private boolean isSentAgainAfter(Reply.ErrorReply error) {
        SharedConnection target = connection;
        if (target == null || notIsolated || isDecided()) {
            return false;
        }
        Reply.ErrorReply reason = refusal == null ? TemporaryRefusal.reasonOf(error) : refusal;
        return TemporaryRefusal.is(reason) && target.retries().planTransaction(this, reason);
    }

    @Override
    boolean isRefused() {
        return refusedExec != null;
    }

    @Override
    void endRefused(StatsCounter stats) {
        decide(new Outcome.Failed(Objects.requireNonNull(refusedExec)), stats);
    }

    @Override
    boolean decide(Outcome decided, StatsCounter stats) {
        if (!outcome.compareAndSet(null, decided)) {
            return false;
        }
        stats.countEnded(decided);
        return true;
    }

    @Override
    boolean decideLost(Loss loss, StatsCounter stats) {
        Outcome lost = outcomeAfter(loss, false);
        if (lost != null) {
            decide(lost, stats);
        }
        return !isDecided();
    }

    @Override
    void forEachCommand(Outcome which, Consumer<String> taker) {
        if (which.equals(outcome.get())) {
            taker.accept("EXEC");
        }
    }

    @Override
    boolean isDecided() {
        return outcome.get() != null;
    }

    @Override
    public boolean isAnswered() {
        return Outcomes.wasAnswered(outcome.get());
    }

    @Override
    @Nullable
    FutureCompletion<?> completion() {
        return futureCompletion;
    }

    @Override
    void announce() {
        if (futureCompletion == null) {
            announceToWaiter();
        } else {
            futureCompletion.offer(this);
        }
    }

    @Override
    void endUnsubmitted(Outcome decided, StatsCounter stats) {
        super.endUnsubmitted(decided, stats);
        complete();
    }

    @Override
    void complete() {
        if (futureCompletion == null) {
            return;
        }
        finish();
        try {
            futureCompletion.future().complete(value());
        } catch (Throwable e) {
            futureCompletion.future().completeExceptionally(e);
        }
    }

    /** Returns how the transaction ended, or throws the exception for its outcome. The outcome must be decided. */
    Ending value() {
        return ending.apply(this);
    }

    @Override
    @Nullable
    Outcome decided(int index) {
        return outcome.get();
    }

    @Override
    String name(int index) {
        return "EXEC";
    }

    @Override
    long requestBytes(int index) {
        return encodedBytes();
    }

    @Override
    int lostWires(int index) {
        return lostWires;
    }

    @Override
    void copyArguments() {
        List<Command<?>> copies = new ArrayList<>();
        commands.forEach(command -> copies.add(ArgumentCopies.of(command)));
        commands = copies;
    }

    /** Returns the outcome. The caller must wait for the end of this call first. */
    Outcome ending() {
        return Objects.requireNonNull(outcome.get(), "no outcome yet");
    }

    /**
     * Returns the error reply to the command that made the transaction fail; null if there is none. The caller must
     * call {@link #ending} first.
     */
    Reply.@Nullable ErrorReply refusal() {
        return refusal;
    }

    /** Whether the commands may have run without isolation, because MULTI was refused. */
    boolean notIsolated() {
        return notIsolated;
    }
}
