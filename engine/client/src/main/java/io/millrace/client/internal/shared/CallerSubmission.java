// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.EndedCommand;
import io.millrace.client.Outcome;
import io.millrace.client.RedisUri;
import io.millrace.client.internal.stats.ListenerCalls;
import io.millrace.client.internal.stats.StatsCounter;
import io.millrace.resp.Reply;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * A submission of a caller. Notifies the {@link io.millrace.client.CommandListener}, and protects the arguments of the
 * caller.
 *
 * <p>DESIGN, listener. This object is the {@link EndedCommand} of each of its commands, one after the other, so that a
 * listener costs no allocation. One thread notifies the listener about the end: the thread that waits, or the thread
 * that completes the future.
 *
 * <p>DESIGN, arguments. The sender reads the arguments of a command while it encodes the command. The caller owns the
 * arrays and may change them after its call has returned. So a call returns only after these steps:
 *
 * <pre>
 *   sender:                                 caller that was interrupted:
 *     endPosition = NOT_WRITTEN               1. replaces the arguments by copies
 *     reads outcome and arguments             2. waits while endPosition is NOT_WRITTEN
 *     endPosition = a position
 * </pre>
 *
 * <p>All these fields are volatile. So the sender reads the copies, or the caller sees NOT_WRITTEN and waits. The wait
 * is short: the sender does not block before it sets the position. A call that ended without a reply, such as a
 * timeout, omits step 1: the sender sees the outcome and does not encode the command, or the caller sees NOT_WRITTEN and
 * waits. A command of a batch may get its outcome while the sender encodes the batch; the command is sent nevertheless.
 */
public abstract sealed class CallerSubmission extends Submission implements EndedCommand
        permits PendingCall, PipelineBatch, TransactionCall {

    private static final AtomicIntegerFieldUpdater<CallerSubmission> NOTIFIED =
            AtomicIntegerFieldUpdater.newUpdater(CallerSubmission.class, "notified");

    /**
     * 1 after a thread has begun to notify the listener about the end; changed through {@link #NOTIFIED}. A call with a
     * future may be completed by two threads: after its timeout, and after its late reply.
     */
    @SuppressWarnings("UnusedVariable") // used by the updater
    private volatile int notified;

    // Written by the submitting thread before this submission is queued. Then read by the thread that notifies the
    // listener about the end.
    private @Nullable ListenerCalls listener;
    private @Nullable Object context;
    private @Nullable Object[] contexts = {};

    /** Written by the sender if there is a listener; 0 before the commands are encoded for the first time. */
    private volatile long sentNanos;

    /** Time of the read with the last reply; 0 without a reply or without a listener. Written by the reader. */
    private volatile long readNanos;

    /** The way through a cluster; null without one. Written by the submitting thread. */
    private @Nullable Hops hops;

    // Owned by the thread that notifies the listener about the end.
    private int current;
    private long endedNanos;

    /** Returns the reply or the {@link Outcome} of command {@code index}; null if the command has no outcome yet. */
    abstract @Nullable Object decided(int index);

    abstract String name(int index);

    abstract long requestBytes(int index);

    abstract int lostWires(int index);

    /** Waiting thread: replaces all arguments by copies. */
    abstract void copyArguments();

    /**
     * The hash slot of the keys; -1 without keys, and for a batch, which stays on its connection.
     *
     * @throws IllegalArgumentException if the keys have several hash slots
     */
    public int hashSlot() {
        return -1;
    }

    // Called by the submitting thread.

    /** Notifies {@code calls}, unless there is no listener. Called before this submission is queued. */
    final void notifySubmitted(@Nullable ListenerCalls calls) {
        if (calls == null) {
            return;
        }
        listener = calls;
        int commands = commands();
        for (int i = 0; i < commands; i++) {
            Object returned = calls.submitted(name(i));
            if (commands == 1) {
                context = returned;
            } else if (returned != null) {
                contexts = contexts.length == 0 ? new Object[commands] : contexts;
                contexts[i] = returned;
            }
        }
    }

    /** The future of this submission; null if a thread waits instead. */
    @Nullable
    FutureCompletion<?> completion() {
        return null;
    }

    /** The limit of running callbacks that this submission must respect; null if it has no future. */
    final @Nullable CallbackSlots callbackSlots() {
        FutureCompletion<?> completion = completion();
        return completion == null ? null : completion.completions().slots();
    }

    /** Whether callbacks must end before this submission can be sent. */
    final boolean waitsForCallbacks() {
        CallbackSlots slots = callbackSlots();
        return slots != null && slots.isFull();
    }

    // Routing in a cluster.

    /** The end of the time limit, comparable with {@link SharedConnection#now}. */
    public final long deadline() {
        return deadlineNanos;
    }

    /** Submitting thread: ends this submission, because it has no node. The stats count this submission. */
    public final void endWithoutNode(Outcome decided, @Nullable ListenerCalls calls, StatsCounter stats, long now) {
        notifySubmitted(calls);
        stats.countSubmitted(commands());
        endUnsubmitted(decided, stats);
        notifyEnded(now);
    }

    /** Submitting thread: lets {@code route} guide this submission, whose keys have {@code slot}. */
    public final void routeBy(Route route, int slot) {
        hops = new Hops(route, slot);
    }

    /** The way through a cluster; null without one. */
    final @Nullable Hops hopsOrNull() {
        return hops;
    }

    /** The way through a cluster; only of a submission that a route guides. */
    public final Hops hops() {
        return Objects.requireNonNull(hops);
    }

    /** The address of the node to which this submission was sent; null for a Unix socket. */
    public final RedisUri.@Nullable Tcp nodeAddress() {
        SharedConnection target = connection;
        return target != null && target.options().uri().endpoint() instanceof RedisUri.Tcp tcp ? tcp : null;
    }

    /** Whether the next attempt needs {@code ASKING}. */
    final boolean asks() {
        return hops != null && hops.asks();
    }

    /** Reader: whether {@code error} redirects this submission to another node. */
    final boolean isRedirectedBy(Reply.ErrorReply error) {
        return hops != null && !isDecided() && hops.route().redirects(this, error);
    }

    /** Reader: this submission has received its last reply, which is not a redirect. */
    final void answered(Reply reply) {
        if (hops != null && !(reply instanceof Reply.ErrorReply error && TemporaryRefusal.is(error))) {
            hops.route().answered(this);
        }
    }

    /** Copies of the keys; empty for a batch. */
    public List<ByteBuffer> keys() {
        return List.of();
    }

    /** Ends a submission that the route keeps with the error of its last attempt. */
    public final void endRefusedKept() {
        endRefused(Objects.requireNonNull(connection).counters());
        releaseFencePermits();
        announce();
    }

    @Override
    final boolean isAway() {
        return hops != null && hops.isAway();
    }

    /** Whether all commands have outcomes. */
    public final boolean isEnded() {
        return isDecided();
    }

    @Override
    final void left() {
        if (hops != null) {
            hops.route().left(this);
        }
    }

    /** Ends this submission if it is overdue. */
    public final void expireIfOverdue(long now) {
        Objects.requireNonNull(connection).timeouts().expireIfOverdue(this, now);
    }

    @Override
    final boolean reroute() {
        SharedConnection target = connection;
        if (hops == null || target == null || isDecided()) {
            return false;
        }
        target.release(cost);
        cost = 0;
        hops.route().rerouted(this);
        return true;
    }

    /** Releases the permits of a submission that the route has kept, and that has its outcome. */
    public final void releaseFencePermits() {
        hops().releaseFencePermits();
    }

    /** Ends a submission that the route keeps as lost. */
    public final void loseKept(String cause) {
        SharedConnection target = Objects.requireNonNull(connection);
        decideAndAnnounce(new Outcome.Lost(lostWires > 0, cause), target.counters());
        releaseFencePermits();
    }

    // Called by the waiting thread, or by the thread that completes the future.

    /**
     * Waits until all commands have outcomes, and notifies the listener. The sender no longer reads the arguments of the
     * caller when this method returns.
     *
     * @return false if the thread was interrupted first; its interrupt flag is set, and the commands are not cancelled
     */
    final boolean await() {
        boolean ended = awaitOutcomes();
        if (!ended) {
            copyArguments();
        }
        if (!ended || isAnnounced()) {
            // A paused batch has no outcomes yet. Its owner waits again, after it has sent the batch again.
            finish();
        }
        return ended;
    }

    /** Waits until the sender does not read the arguments, and notifies the listener about the end of each command. */
    final void finish() {
        awaitEncoded();
        SharedConnection target = connection;
        if (listener != null && target != null) {
            notifyEnded(target.now());
        }
    }

    /** Waiting thread: lets the caller change its arguments, although the commands may still be sent. */
    final void protectArguments() {
        copyArguments();
        awaitEncoded();
    }

    @SuppressWarnings("ThreadPriorityCheck") // correct without yield(), but with more steps
    private void awaitEncoded() {
        while (endPosition == NOT_WRITTEN) {
            Thread.yield();
        }
    }

    /** Notifies the listener, if it was not notified before. {@code now} is the end of a command without a reply. */
    final void notifyEnded(long now) {
        ListenerCalls calls = listener;
        if (calls == null || !NOTIFIED.compareAndSet(this, 0, 1)) {
            return;
        }
        long read = readNanos;
        for (current = 0; current < commands(); current++) {
            Kind kind = kind();
            endedNanos = read != 0 && (kind == Kind.OK || kind == Kind.ERROR) ? read : now;
            calls.ended(this);
        }
    }

    // Called by the sender and by the reader.

    @Override
    final void encodedAt(long now) {
        if (listener != null) {
            sentNanos = now == 0 ? 1 : now;
        }
    }

    @Override
    final void announceRead(long now, ReadTasks tasks) {
        if (listener != null) {
            readNanos = now;
        }
        FutureCompletion<?> completion = completion();
        Executor executor = completion == null ? null : completion.executor();
        if (completion == null || executor == null) {
            announce();
        } else {
            tasks.add(this, completion, executor);
        }
    }

    /** Thread that delivers the outcome: notifies the listener and completes the future, if there is one. */
    void complete() {}

    // The ended command.

    @Override
    public final String name() {
        return name(current);
    }

    @Override
    public final @Nullable Object context() {
        return contexts.length == 0 ? context : contexts[current];
    }

    @Override
    public final String endpoint() {
        return listener == null ? "" : listener.endpoint();
    }

    @Override
    public final String connection() {
        SharedConnection target = connection;
        return target == null ? "" : target.name();
    }

    @Override
    public final Kind kind() {
        Object end = decided(current);
        if (end instanceof Reply) {
            return end instanceof Reply.ErrorReply ? Kind.ERROR : Kind.OK;
        }
        return switch ((Outcome) end) {
            case null -> Kind.INTERRUPTED;
            case Outcome.Ok ignored -> Kind.OK;
            case Outcome.Failed ignored -> Kind.ERROR;
            case Outcome.TimedOut ignored -> Kind.TIMED_OUT;
            case Outcome.Refused ignored -> Kind.REFUSED;
            case Outcome.Lost ignored -> Kind.LOST;
        };
    }

    @Override
    public final Optional<Outcome> outcome() {
        Object end = decided(current);
        return end instanceof Reply reply ? Optional.of(Outcomes.answered(reply)) : Optional.ofNullable((Outcome) end);
    }

    @Override
    public final long submittedNanos() {
        return submittedNanos;
    }

    @Override
    public final boolean wasSent() {
        return sentNanos != 0;
    }

    @Override
    public final long sentNanos() {
        return sentNanos;
    }

    @Override
    public final long endedNanos() {
        return endedNanos;
    }

    @Override
    public final long requestBytes() {
        return requestBytes(current);
    }

    @Override
    public final int lostConnections() {
        return lostWires(current);
    }
}
