// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.Outcome;
import io.millrace.resp.Reply;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * What is handed to a connection in one piece: one command, a portion of a pipeline, a transaction. Its commands go out next
 * to each other, and it takes one slot among what is on the wire.
 *
 * <p>It passes from the submitting thread through the {@link SubmissionQueue} to whoever sends, and from there through the
 * ring of the {@link Wire} to the reader; each of these hand-overs is a happens-before. Outcomes are decided by others too,
 * such as the timekeeper, so deciding one is a compare-and-set, and whoever wins it counts it.
 */
abstract sealed class Submission permits PendingCall, Portion, TransactionCall {

    /** Where something ends that is encoded, and held back until a run is closed. */
    static final long NOT_WRITTEN = Long.MAX_VALUE;

    // Written by the submitting thread before it is queued.
    long submittedNanos;
    long deadlineNanos;

    /** Its share of the window, 0 before it has one; written by the submitting thread before it is queued. */
    long cost;

    /** Where it was submitted; written by the submitting thread before it is queued. */
    @Nullable
    SharedConnection connection;

    /** The thread that waits for it, if one does; written by the submitting thread, and by whoever waits instead. */
    private volatile @Nullable Thread waiter;

    /** The queue's link; see {@link SubmissionQueue}. */
    volatile @Nullable Submission next;

    /** The sender's: whether it went out over a wire that was lost, and so may have been executed already. */
    boolean sentBefore;

    /** Where in the bytes of its connection it ends, 0 until it is encoded, and {@link #NOT_WRITTEN}; written by whoever sends. */
    volatile long endPosition;

    /** The submitting thread: its time runs from {@code now}. */
    final void begin(long now, long deadline) {
        submittedNanos = now;
        deadlineNanos = deadline;
    }

    /** The submitting thread: it will wait. */
    final void awaitedHere() {
        waiter = Thread.currentThread();
    }

    final @Nullable Thread waiter() {
        return waiter;
    }

    /**
     * Waits until everything has its outcome. The wait has no end of its own: the timekeeper decides when time is up, which
     * spares a timer for each call.
     *
     * @return false if the thread was interrupted first; its interrupt flag is set, and the commands go on
     */
    final boolean await() {
        Thread current = Thread.currentThread();
        waiter = current;
        SharedConnection where = connection;
        if (where != null && !ended()) {
            where.readFor(this);
        }
        while (!ended()) {
            if (current.isInterrupted()) {
                return false;
            }
            LockSupport.park(this);
        }
        return true;
    }

    /** Wakes the thread that waits, unless it is this one. */
    final void wakeWaiter() {
        Thread waiting = waiter;
        SharedConnection where = connection;
        if (waiting != null && where != null && !waiting.equals(Thread.currentThread())) {
            LockSupport.unpark(waiting);
            where.wake(waiting);
        }
    }

    /** How many commands the account knows it as. */
    abstract int commands();

    /** Whether it is worth a write of its own. */
    boolean isBatch() {
        return false;
    }

    /** How many bytes it takes on the wire, at most. */
    abstract long encodedBytes();

    /**
     * Sender: writes what has no outcome yet.
     *
     * @return whether there was anything
     */
    abstract boolean encode(CommandWriter writer);

    /** Sender: the command that was given to the writer as number {@code index} ends there, alone or with others. */
    void endsAt(int index, long position) {
        endPosition = position;
    }

    /**
     * Reader: takes the next reply to what was encoded. Wakes nobody.
     *
     * @return whether it was the last that is owed
     */
    abstract boolean reply(Reply reply, Tally tally);

    /**
     * Any thread: decides {@code outcome} for whatever has none. Wakes nobody.
     *
     * @return whether there was anything to decide
     */
    abstract boolean end(Outcome outcome, Account account);

    /**
     * Sender, when its connection has ended and no reply can come any more: decides what of it is lost.
     *
     * @return whether something is left that may be sent over the next connection
     */
    abstract boolean lose(Loss loss, Account account);

    /** Whether everything has its outcome. */
    abstract boolean ended();

    /** Whether it was the server's reply that decided the last of its outcomes. */
    abstract boolean answered();

    /** Wakes whoever waits, if everything has its outcome. For a future only once: by whoever decided. */
    abstract void announce();

    /** Whether its share of the window is given back by somebody else than the reader. */
    boolean keepsItsPlace() {
        return false;
    }

    /** Reader: a reply came too late. */
    final void late() {
        SharedConnection where = connection;
        if (where != null) {
            where.late(this);
        }
    }

    final void endAndAnnounce(Outcome outcome, Account account) {
        if (end(outcome, account)) {
            announce();
        }
    }

    /**
     * The submitting thread, before anybody else has seen it: decides {@code outcome}. A future is completed here and now:
     * nothing can hang on it yet, and it has no place that would bound a queue of such.
     */
    void endAtOnce(Outcome outcome, Account account) {
        end(outcome, account);
    }

    /**
     * How a connection ended.
     *
     * @param bytesTaken how many of its bytes the operating system took: what ends beyond was not executed
     * @param connectsAgain whether there will be another connection
     */
    record Loss(String cause, long bytesTaken, boolean connectsAgain) {

        /** What becomes of a command of {@code submission} that ends at {@code position}; null if it may be sent again. */
        @Nullable
        Outcome of(Submission submission, long position, boolean idempotent) {
            boolean taken = position <= bytesTaken;
            if (connectsAgain && (!taken || idempotent)) {
                submission.sentBefore |= taken;
                return null;
            }
            return new Outcome.Lost(taken || submission.sentBefore, cause);
        }
    }
}
