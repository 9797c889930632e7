// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.internal.io.Connection;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Determines whether the server of one {@link Wire} still replies.
 *
 * <p>DESIGN. A peer can disappear without closing the connection: a machine loses its power, or a firewall drops an idle
 * connection. Writes to such a peer succeed, and no reply arrives. There are two checks, and neither wakes an idle
 * process:
 *
 * <ul>
 *   <li>After silence, a {@code PING} goes first. Silence means that no reply is owed, and that the last bytes were read
 *       longer ago than {@link io.millrace.client.ClientOptions#pingAfterSilence}. The submissions wait in the queue for
 *       the reply. Without a reply in time the wire ends. These submissions were not sent, so they all continue over the
 *       next wire. Cost: one round trip, for the first submission after the silence.
 *   <li>A submission without a reply: see {@link #check}.
 * </ul>
 *
 * <p>The holder of the sending role starts a {@code PING}. The thread that reads receives its reply, and then gives the
 * free sending role to the writer. A sender that leaves submissions in the queue frees the role first, and then reads
 * {@link #isPinging}. The state of the {@code PING} and the role are volatile. So at least one of the two threads sees
 * the write of the other, and no submission stays in the queue.
 */
final class Liveness {

    private final SharedConnection owner;
    private final Connection connection;
    private final SubmissionRing ring;

    /** {@code pingAfterSilence} in nanoseconds; 0 means that no {@code PING} is sent. */
    private final long silenceNanos;

    /** The last {@code PING}; null before the first. Written by the sender, read by any thread. */
    private volatile @Nullable PingCall ping;

    Liveness(SharedConnection owner, Connection connection, SubmissionRing ring) {
        this.owner = owner;
        this.connection = connection;
        this.ring = ring;
        this.silenceNanos = owner.options().pingAfterSilence().toNanos();
    }

    /** Any thread: returns whether the next submission needs a {@code PING} first. */
    boolean isSilent(long now) {
        return silenceNanos > 0 && now - connection.lastReadNanos() >= silenceNanos && ring.isIdle();
    }

    /** Any thread: returns whether submissions must wait for the reply to a {@code PING}. */
    boolean isPinging() {
        PingCall last = ping;
        return last != null && !last.isAnswered();
    }

    /** Sender: returns a new {@code PING}. From now on, submissions wait for its reply. */
    PingCall newPing(long now) {
        PingCall next = new PingCall(owner, now, now + limitNanos());
        ping = next;
        return next;
    }

    /**
     * Any thread: returns whether the server replies. Sends a {@code PING} only after silence, and waits for the reply,
     * until {@code deadline} at most. The {@code PING} that the sender sends first has the same time limit.
     *
     * @param sender adds a submission to the queue
     */
    boolean isResponsive(long deadline, Consumer<Submission> sender) {
        long now = owner.now();
        if (!isSilent(now)) {
            return true;
        }
        PingCall question = new PingCall(owner, now, now + Math.min(deadline - now, limitNanos()));
        sender.accept(question);
        owner.wakeTimekeeper();
        return question.awaitOutcomes() && question.isAnswered();
    }

    /**
     * Time limit of a {@code PING}: the connect timeout, because a new connection may take as long; but at most half of
     * the command timeout, so that the first command can still be sent over the new connection.
     */
    private long limitNanos() {
        return Math.min(owner.options().connectTimeout().toNanos(), owner.timeoutNanos() / 2);
    }

    /**
     * Timekeeper: ends the wire if a {@code PING} is overdue, or if the server hangs. The server hangs if the oldest
     * unanswered submission is overdue for longer than a limit, and the last bytes were read longer ago than this limit.
     * The limit is the longest time limit of all unanswered submissions, or the default timeout of the connection if
     * that is longer.
     *
     * <p>Replies arrive in order. So overdue later submissions prove nothing: they wait for the oldest submission. The
     * time limits of later submissions count, because a server may execute several commands before it sends the first
     * reply. The oldest submission then waits for the last of these commands.
     */
    void check(long now) {
        // Read the submission before the time of the last read. If its reply arrives meanwhile, that time is recent.
        Submission oldest = ring.oldest();
        if (oldest == null) {
            return;
        }
        long silentNanos = now - connection.lastReadNanos();
        if (isPinging() && oldest.equals(ping)) {
            if (now - oldest.deadlineNanos >= 0) {
                connection.end("the server hangs: no reply to a PING within " + millis(oldest.timeLimitNanos())
                        + " ms, and no bytes were read for " + millis(silentNanos) + " ms");
            }
            return;
        }
        long waitNanos = Math.min(now - oldest.deadlineNanos, silentNanos);
        if (waitNanos > owner.timeoutNanos() && waitNanos > ring.longestTimeLimitNanos()) {
            connection.end("the server hangs: no bytes were read for " + millis(silentNanos)
                    + " ms while a reply was overdue");
        }
    }

    private static long millis(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(nanos);
    }
}
