// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.Outcome;
import io.millrace.client.command.Command;
import io.millrace.client.internal.stats.ListenerCalls;
import io.millrace.client.internal.stats.ReplyCounter;
import io.millrace.client.internal.stats.StatsCounter;
import io.millrace.resp.Reply;
import io.millrace.resp.RequestEncoder;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One command with a waiting thread or a future.
 *
 * @param <T> type of the decoded reply
 */
public final class PendingCall<T> extends CallerSubmission {

    private static final byte[] ASKING = RequestEncoder.encodeName("ASKING");

    /** Index of {@code ASKING} in the output; the command itself has the index 0. */
    private static final int ASKING_INDEX = 1;

    private static final VarHandle OUTCOME;
    private static final VarHandle PERMIT_RELEASED;

    static {
        try {
            OUTCOME = MethodHandles.lookup().findVarHandle(PendingCall.class, "outcome", Outcome.class);
            PERMIT_RELEASED = MethodHandles.lookup().findVarHandle(PendingCall.class, "permitReleased", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Written by the submitting thread; replaced by the waiting thread, see {@link CallerSubmission}. */
    private volatile Command<T> command;

    /** The future to complete; null if a thread waits instead. */
    private final @Nullable FutureCompletion<T> futureCompletion;

    /** Null until the outcome is decided. Decided once, by a compare-and-set. */
    private volatile @Nullable Outcome outcome;

    /**
     * The last temporary refusal or redirect of this command. Written by the reader before the call is in the {@link RetryQueue},
     * or before its route keeps the call; read by the thread that takes the call from there.
     */
    private Reply.@Nullable ErrorReply refusal;

    /** Reader: whether the last reply was a temporary refusal, after which the command is sent again. */
    private boolean isRefused;

    /** Reader: whether the last reply redirected the command to another node. */
    private boolean isRedirected;

    /** Whether the reply to {@code ASKING} is owed. Written by the sender; handed to the reader through the ring. */
    private boolean awaitsAsking;

    /** Whether the command is sent again after a temporary refusal. Written before the call is submitted. */
    private boolean retries = true;

    /** Whether the permit of an answered call with a future was released; changed through {@link #PERMIT_RELEASED}. */
    private volatile boolean permitReleased;

    public PendingCall(
            Command<T> command, long now, long deadlineNanos, @Nullable FutureCompletion<T> futureCompletion) {
        begin(now, deadlineNanos);
        this.command = command;
        this.futureCompletion = futureCompletion;
        if (futureCompletion == null) {
            setCurrentThreadAsWaiter();
        }
    }

    Command<T> command() {
        return command;
    }

    @Override
    @Nullable
    Outcome decided(int index) {
        return outcome;
    }

    @Override
    String name(int index) {
        return command.spec().name();
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
    @Nullable
    FutureCompletion<?> completion() {
        return futureCompletion;
    }

    @Override
    void copyArguments() {
        command = ArgumentCopies.of(command);
    }

    @Override
    public int hashSlot() {
        return command.hashSlot();
    }

    @Override
    public List<ByteBuffer> keys() {
        return CommandKeys.of(command);
    }

    @Override
    int commands() {
        return 1;
    }

    @Override
    long blockNanos() {
        return command.blockNanos();
    }

    @Override
    long encodedBytes() {
        return command.encodedBytes();
    }

    @Override
    boolean encode(CommandWriter writer) {
        long before = endPosition;
        endPosition = NOT_WRITTEN;
        if (outcome != null) {
            endPosition = before;
            return false;
        }
        awaitsAsking = asks();
        if (awaitsAsking) {
            writer.write(ASKING, this, ASKING_INDEX);
        }
        if (awaitsAsking || refusals > 0 || !mayBeFused()) {
            writer.writeUnfused(command, this, 0);
        } else {
            writer.write(command, this, 0);
        }
        return true;
    }

    private boolean mayBeFused() {
        Hops hops = hopsOrNull();
        return hops == null || (!hops.wasRedirected() && hops.route().fuses(hops.slot()));
    }

    /** Only the end of the command ends the encoding: until then, the sender reads arguments. */
    @Override
    void endsAt(int index, long position) {
        if (index != ASKING_INDEX) {
            super.endsAt(index, position);
        }
    }

    /** Makes a temporary refusal the outcome of this call. Called before the call is submitted. */
    PendingCall<T> withoutRetries() {
        retries = false;
        return this;
    }

    @Override
    boolean reply(Reply reply, ReplyCounter replyCounter) {
        if (awaitsAsking) {
            // If the node refuses ASKING, it also refuses the command.
            awaitsAsking = false;
            return false;
        }
        isRedirected = reply instanceof Reply.ErrorReply redirect && isRedirectedBy(redirect);
        if (isRedirected) {
            refusal = (Reply.ErrorReply) reply;
        }
        isRefused = !isRedirected && reply instanceof Reply.ErrorReply error && isSentAgainAfter(error);
        if (isRefused || isRedirected) {
            return true;
        }
        Outcome answered = Outcomes.answered(reply);
        if (OUTCOME.compareAndSet(this, null, answered)) {
            replyCounter.count(reply);
        } else {
            late();
        }
        answered(reply);
        return true;
    }

    @Override
    boolean isRedirected() {
        return isRedirected;
    }

    private boolean isSentAgainAfter(Reply.ErrorReply error) {
        SharedConnection target = connection;
        if (!retries
                || outcome != null
                || target == null
                || !TemporaryRefusal.is(error)
                || !target.retries().plan(this, command.spec().name(), error)) {
            return false;
        }
        refusal = error;
        return true;
    }

    @Override
    boolean isRefused() {
        return isRefused;
    }

    @Override
    void endRefused(StatsCounter stats) {
        decide(new Outcome.Failed(Objects.requireNonNull(refusal)), stats);
    }

    @Override
    boolean decide(Outcome decided, StatsCounter stats) {
        if (!OUTCOME.compareAndSet(this, null, decided)) {
            return false;
        }
        stats.countEnded(decided);
        return true;
    }

    @Override
    void endUnsubmitted(Outcome decided, StatsCounter stats) {
        super.endUnsubmitted(decided, stats);
        complete();
    }

    /** Ends a call that found no connection, and notifies the listener. The stats do not count this call. */
    public void endWithoutConnection(Outcome decided, @Nullable ListenerCalls listener, long now) {
        notifySubmitted(listener);
        OUTCOME.set(this, decided);
        notifyEnded(now);
    }

    @Override
    boolean decideLost(Loss loss, StatsCounter stats) {
        Outcome lost = outcomeAfter(loss, command.spec().idempotent());
        if (lost != null) {
            decide(lost, stats);
        }
        return outcome == null;
    }

    @Override
    void forEachCommand(Outcome which, Consumer<String> taker) {
        if (which.equals(outcome)) {
            taker.accept(command.spec().name());
        }
    }

    @Override
    boolean isDecided() {
        return outcome != null;
    }

    @Override
    public boolean isAnswered() {
        return Outcomes.wasAnswered(outcome);
    }

    /**
     * Returns true for an answered call whose future the {@link FutureCompleter} completes. The {@code FutureCompleter}
     * releases the permit of such a call before it completes the future. So the permits bound its queue.
     */
    @Override
    boolean releasesPermitsLater() {
        return futureCompletion != null && futureCompletion.executor() == null && isAnswered();
    }

    /** Returns whether this call still {@linkplain #releasesPermitsLater keeps its permit}. */
    boolean holdsPermits() {
        return releasesPermitsLater() && !permitReleased;
    }

    /**
     * Returns the cost that the caller of this method must release. Returns 0 if this method has already returned the
     * cost, or if the reader releases the cost.
     */
    long takeCostToRelease() {
        return releasesPermitsLater() && PERMIT_RELEASED.compareAndSet(this, false, true) ? cost : 0;
    }

    @Override
    void announce() {
        if (futureCompletion == null) {
            announceToWaiter();
        } else {
            futureCompletion.offer(this);
        }
    }

    /**
     * Returns whether the future has dependents; these are user code and run on the thread that completes the future.
     */
    boolean hasDependents() {
        return futureCompletion != null && futureCompletion.future().getNumberOfDependents() > 0;
    }

    /** Notifies the listener, and completes the future with the value, or with the exception for the outcome. */
    @Override
    void complete() {
        if (futureCompletion == null) {
            return;
        }
        finish();
        if (futureCompletion.future().isDone()) {
            return;
        }
        try {
            futureCompletion.future().complete(value());
        } catch (Throwable e) {
            // A decoder may throw anything; the future must be completed in any case.
            futureCompletion.future().completeExceptionally(e);
        }
    }

    /** The call has received a redirect, and its command is sent again by another call: the stats do not count this call. */
    public void countRedirected() {
        Objects.requireNonNull(connection).counters().countRedirected();
    }

    /** Returns the decoded reply of a call that has ended. */
    T value() {
        return Failures.value(command, Objects.requireNonNull(outcome), this);
    }
}
