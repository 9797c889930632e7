// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.Outcome;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Handles the submissions that have no outcome when the wire of a shared connection fails. Each command of a submission
 * either ends with {@link Outcome.Lost}, or is kept and sent again over the next wire. The writer uses this class while
 * it has the sending role, so no other thread sends. After the end of the connection, any thread may call {@link
 * #loseWaiting}.
 */
final class LostSubmissions {

    private final SharedConnection connection;
    private final SendQueue waiting;

    /**
     * Whether the waiting submissions go to other nodes of the cluster when the connection ends. Set by any thread; never reset.
     */
    private volatile boolean reroutes;

    /** Lock for emptying the queue after the end of the connection, when no thread has the sending role. */
    private final ReentrantLock afterEnd = new ReentrantLock();

    LostSubmissions(SharedConnection connection, SendQueue waiting) {
        this.connection = connection;
        this.waiting = waiting;
    }

    /**
     * Ends the submissions of {@code lost} that must not be sent again. Puts the other submissions at the front of the
     * queue.
     */
    void endOrKeep(Wire lost, Loss loss) {
        SubmissionRing unanswered = lost.unanswered();
        unanswered.takeUnanswered(submission -> {
            boolean kept = submission.decideLost(loss, connection.counters());
            submission.encodingFailed();
            if (!kept) {
                end(submission);
                return true;
            }
            submission.keptAfter(loss);
            return false;
        });
        unanswered.takeUnansweredNewestFirst(waiting::addFirst);
    }

    /**
     * Ends all unanswered submissions of {@code wire} as lost; they may have been executed. Usually there are no such
     * submissions. Only a failure of the writer, such as a lack of memory, leaves some.
     */
    void loseUnanswered(Wire wire, String cause) {
        Outcome.Lost unknown = new Outcome.Lost(true, cause);
        wire.unanswered().takeUnanswered(submission -> {
            lose(submission, unknown);
            return true;
        });
    }

    /** Ends a submission that was taken from the queue and has no slot in the ring. */
    void lose(Submission submission, Outcome.Lost outcome) {
        submission.decide(outcome, connection.counters());
        submission.encodingFailed();
        end(submission);
    }

    /** Releases the permits of a submission that has its outcome, and wakes its waiting thread. */
    private void end(Submission submission) {
        connection.leaves(submission);
        submission.announce();
    }

    /** Releases the permits of submissions that timed out before they were sent. */
    void dropDecided() {
        waiting.removeDecided(connection::leaves);
    }

    /** Any thread: from now on, waiting submissions are not lost, but go to other nodes of the cluster. */
    void reroute() {
        reroutes = true;
    }

    boolean reroutes() {
        return reroutes;
    }

    /**
     * Ends the waiting submissions as lost, after the end of the connection or after a refused login. A waiting
     * submission was not executed, unless it was sent over an earlier wire. If the connection {@linkplain #reroute reroutes},
     * submissions with a route go to other nodes instead.
     */
    void loseWaiting(String cause) {
        Outcome.Lost neverSent = new Outcome.Lost(false, cause);
        Outcome.Lost sentBefore = new Outcome.Lost(true, cause);
        afterEnd.lock();
        try {
            for (Submission left = waiting.poll(); left != null; left = waiting.poll()) {
                if (!reroutes || !left.reroute()) {
                    left.decideAndAnnounce(left.lostWires > 0 ? sentBefore : neverSent, connection.counters());
                    connection.leaves(left);
                }
            }
        } finally {
            afterEnd.unlock();
        }
    }
}
