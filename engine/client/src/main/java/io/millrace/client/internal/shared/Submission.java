// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.Outcome;
import io.millrace.client.internal.stats.ConnectionState;
import io.millrace.client.internal.stats.ReplyCounter;
import io.millrace.client.internal.stats.StatsCounter;
import io.millrace.resp.Reply;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A unit of work for a connection: one command, a batch of a pipeline, a transaction, a renewed login, or a {@code PING}
 * of the client. Its commands are sent next to each other, and it takes one slot of the ring.
 *
 * <p>A submission passes from the submitting thread through the {@link SubmissionQueue} to the sending thread, and from
 * there through the ring of the {@link Wire} to the reader. Each hand-over establishes a happens-before relation. Other
 * threads, such as the timekeeper, also decide outcomes. So each decision is a compare-and-set, and the thread whose
 * compare-and-set succeeds counts the outcome.
 */
public abstract sealed class Submission permits CallerSubmission, LoginCall, PingCall {

    /**
     * Marks the end of a command in the output as unknown. The end is unknown from the start of the encoding until the
     * command is written to the output. In this state, a command may be held back for fusion.
     */
    static final long NOT_WRITTEN = Long.MAX_VALUE;

    private static final VarHandle AWAITS_RETRY;

    static {
        try {
            AWAITS_RETRY = MethodHandles.lookup().findVarHandle(Submission.class, "awaitsRetry", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    // Written by the submitting thread before the submission is queued.
    long submittedNanos;
    long deadlineNanos;

    /**
     * The permits of the window that this submission holds; 0 before it holds any. Written by the submitting thread
     * before the submission is queued.
     */
    long cost;

    /**
     * The connection to which this submission was submitted. Written by the submitting thread before the submission is
     * queued. In a cluster also written by the thread that moves the submission to another node.
     */
    @Nullable
    volatile SharedConnection connection;

    /**
     * The waiting thread, if any. Written by the submitting thread. If another thread waits for the outcome instead,
     * written by that thread.
     */
    private volatile @Nullable Thread waiter;

    /**
     * Whether the waiting thread may continue. Set after all commands have outcomes. The stats already count the
     * outcomes that the announcing thread has decided. If the timekeeper and the reader decide commands of one batch at
     * the same moment, the other thread may count its outcomes shortly afterwards.
     */
    private volatile boolean announced;

    /**
     * State of the connection when this submission timed out or was refused. Written before the outcome is decided, so
     * a thread that reads the outcome also reads the state.
     */
    private volatile @Nullable ConnectionState stateAtFailure;

    /** Link to the next submission in the queue; see {@link SubmissionQueue}. */
    volatile @Nullable Submission next;

    /**
     * Sender: number of lost wires over which this submission was sent. Above 0, it may have been executed already. The
     * number of a batch is that of its command with the most wires.
     */
    int lostWires;

    /**
     * Why the last of the {@link #lostWires lost wires} ended, or the last wire that did not take this submission
     * completely; null if there is none. Written by the sender.
     */
    private volatile @Nullable String lossCause;

    /**
     * Number of times that the server has temporarily refused this submission. Written by the reader; the hand-overs of
     * the {@link RetryQueue} and of the ring lead to the reader of the next attempt.
     */
    int refusals;

    /** Time of the next attempt. Written by the reader before this submission is in the {@link RetryQueue}. */
    long retryNanos;

    /**
     * Whether this submission is in the {@link RetryQueue} and was not taken yet. Set by the reader, reset through
     * {@link #AWAITS_RETRY} by the thread that takes this submission.
     */
    private volatile boolean awaitsRetry;

    /**
     * Position in the bytes of the connection at which this submission ends. The value is 0 before encoding starts, and
     * then {@link #NOT_WRITTEN} until the submission is written. Written by the sending thread.
     */
    volatile long endPosition;

    /** Submitting thread: sets the start and the deadline. */
    final void begin(long now, long deadline) {
        submittedNanos = now;
        deadlineNanos = deadline;
    }

    /** Time from the submission to the deadline. */
    final long timeLimitNanos() {
        return deadlineNanos - submittedNanos;
    }

    /**
     * Stores the state of the connection. A thread must call this method before it decides that this submission timed
     * out or was refused.
     */
    final void failsIn(ConnectionState state) {
        stateAtFailure = state;
    }

    /** Sender: stores why the wire was lost, before this submission is sent again. */
    final void keptAfter(Loss loss) {
        lossCause = loss.cause();
    }

    /** Returns why the last wire of this submission was lost; null if no wire was lost. */
    final @Nullable String lossCause() {
        return lossCause;
    }

    final @Nullable ConnectionState stateAtFailure() {
        return stateAtFailure;
    }

    /** Submitting thread: declares that this thread will wait for the outcome. */
    final void setCurrentThreadAsWaiter() {
        waiter = Thread.currentThread();
    }

    final @Nullable Thread waiter() {
        return waiter;
    }

    /**
     * Waits until all commands have outcomes, and the stats count these outcomes; or until this submission {@linkplain
     * #isPaused is paused}. The wait has no timeout: the
     * timekeeper ends overdue commands, which avoids a timer per call.
     *
     * @return false if the thread was interrupted first; its interrupt flag is set, and the commands are not cancelled
     */
    final boolean awaitOutcomes() {
        Thread current = Thread.currentThread();
        waiter = current;
        SharedConnection target = connection;
        if (target != null && !isDecided() && !isAway()) {
            target.readFor(this);
        }
        while (!announced && !isPaused()) {
            if (current.isInterrupted()) {
                return false;
            }
            LockSupport.park(this);
        }
        return true;
    }

    /** Reader: makes this submission available to the threads that take it from the {@link RetryQueue}. */
    final void awaitRetry() {
        awaitsRetry = true;
        if (isPaused()) {
            wakeWaiter();
        }
    }

    /** Takes this submission from the {@link RetryQueue}. Returns false if another thread has taken it. */
    final boolean takeFromRetry() {
        return AWAITS_RETRY.compareAndSet(this, true, false);
    }

    final boolean awaitsRetry() {
        return awaitsRetry;
    }

    /**
     * Whether the server has temporarily refused commands of this submission, and its waiting thread must send them
     * again. For all other submissions, the timekeeper does this.
     */
    boolean isPaused() {
        return false;
    }

    /** Whether this submission is queued or sent at {@code candidate}. */
    final boolean isOn(SharedConnection candidate) {
        return candidate.equals(connection) && !isAway();
    }

    /**
     * Whether this submission is on no connection at present, because its route keeps it. A caller that waits for such a
     * submission must not read.
     */
    boolean isAway() {
        return false;
    }

    /** Reader, after the last reply: whether this submission has no outcome, because it goes to another node. */
    boolean isRedirected() {
        return false;
    }

    /** Any thread: this submission has left its connection with an outcome, and its permits are released. */
    void left() {}

    /**
     * Thread that takes this submission from a connection that has ended: releases its permits, and sends it to another node of
     * the cluster. Returns false, and does neither, if this submission has its outcome or has no route.
     */
    boolean reroute() {
        return false;
    }

    /**
     * Reader, after the last reply: whether this submission has no outcome, because it must be sent again after a
     * temporary refusal.
     */
    boolean isRefused() {
        return false;
    }

    /** The thread that has taken this submission: decides the error of the server as the outcome. Wakes no thread. */
    void endRefused(StatsCounter stats) {}

    /** Lets the waiting thread continue. Called only by a thread that has counted the outcomes that it decided. */
    final void announceToWaiter() {
        announced = true;
        wakeWaiter();
    }

    private void wakeWaiter() {
        Thread waiting = waiter;
        SharedConnection target = connection;
        if (waiting != null && target != null && !waiting.equals(Thread.currentThread())) {
            LockSupport.unpark(waiting);
            target.wake(waiting);
        }
    }

    /** Number of commands for the stats. */
    abstract int commands();

    /** Time for which the server may block, in nanoseconds; part of the time limit. */
    long blockNanos() {
        return 0;
    }

    /** Whether this submission is large enough for a separate write. */
    boolean isBatch() {
        return false;
    }

    /** Maximum number of bytes on the wire. */
    abstract long encodedBytes();

    /**
     * Sender: encodes the commands without an outcome.
     *
     * @return whether any command was encoded
     */
    abstract boolean encode(CommandWriter writer);

    /** Sender: sets the end position of the command that was encoded as number {@code index}, alone or fused. */
    void endsAt(int index, long position) {
        endPosition = position;
    }

    /**
     * Reader: receives the next reply. Wakes no thread.
     *
     * @return whether this was the last reply to this submission
     */
    abstract boolean reply(Reply reply, ReplyCounter replyCounter);

    /**
     * Any thread: decides {@code outcome} for all commands that have no outcome. Wakes no thread.
     *
     * @return whether any command had no outcome
     */
    abstract boolean decide(Outcome outcome, StatsCounter stats);

    /**
     * Sender: decides which commands are lost, after the connection has ended and no reply can arrive.
     *
     * @return whether there are commands left to send over the next connection
     */
    abstract boolean decideLost(Loss loss, StatsCounter stats);

    /**
     * Returns the outcome of a submission with one outcome; null if the submission may be sent again. In this case,
     * counts the lost wire.
     */
    final @Nullable Outcome outcomeAfter(Loss loss, boolean idempotent) {
        Outcome lost = loss.outcomeOfNext(endPosition, idempotent, lostWires);
        if (lost == null && loss.wasSent(endPosition)) {
            lostWires++;
        }
        return lost;
    }

    /**
     * Passes to {@code taker} the name of each command whose outcome is {@code outcome}. The outcome must not be the
     * result of a reply; it may be a timeout, for example.
     */
    abstract void forEachCommand(Outcome outcome, Consumer<String> taker);

    /** Whether all commands have outcomes. */
    abstract boolean isDecided();

    /** Whether all commands have outcomes, and the waiting thread may continue. */
    final boolean isAnnounced() {
        return announced;
    }

    /** Whether the last outcome was decided by a reply. */
    public abstract boolean isAnswered();

    /**
     * Lets the waiting thread continue if all commands have outcomes; passes a call with a future to the {@link
     * FutureCompleter}. Called by the thread that decided the last outcome.
     */
    abstract void announce();

    /** Sender: receives the time at which the commands were encoded. */
    void encodedAt(long now) {}

    /**
     * Reader: {@linkplain #announce announces} the end, or adds this submission to {@code tasks}. The last reply was in
     * the bytes that were read at {@code now}.
     */
    void announceRead(long now, ReadTasks tasks) {
        announce();
    }

    /** Sender: corrects {@link #endPosition} if the encoding has failed, because nothing is being encoded any more. */
    final void encodingFailed() {
        if (endPosition == NOT_WRITTEN) {
            endPosition = 0;
        }
    }

    /** Whether a thread other than the reader releases the permits of this submission. */
    boolean releasesPermitsLater() {
        return false;
    }

    /** Reader: counts a late reply. */
    final void late() {
        SharedConnection target = connection;
        if (target != null) {
            target.timeouts().late(this);
        }
    }

    final void decideAndAnnounce(Outcome outcome, StatsCounter stats) {
        if (decide(outcome, stats)) {
            announce();
        }
    }

    /**
     * Decides {@code outcome}. Called by the submitting thread before any other thread has access to this submission. A
     * future is completed by this thread, because the future has no dependents yet. The future is not queued for
     * another thread: it holds no permit, so the window would not limit the length of that queue.
     */
    void endUnsubmitted(Outcome outcome, StatsCounter stats) {
        decide(outcome, stats);
        announceToWaiter();
    }
}
