// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.Outcome;
import io.millrace.client.internal.connect.EndpointText;
import io.millrace.client.internal.stats.ConnectionState;
import io.millrace.client.internal.stats.FlightRecorderEvents;
import java.util.Objects;

/**
 * Ends the overdue submissions of a connection, counts late replies, and describes the state of the connection at that
 * moment. Used by any thread.
 */
final class SubmissionTimeouts {

    private final SharedConnection connection;
    private final Window window;
    private final String endpoint;

    SubmissionTimeouts(SharedConnection connection, Window window) {
        this.connection = connection;
        this.window = window;
        this.endpoint = EndpointText.of(connection.options().uri());
    }

    void expireIfOverdue(Submission submission, long now) {
        if (now - submission.deadlineNanos >= 0) {
            expire(submission);
        }
    }

    void expire(Submission submission) {
        if (submission.isDecided()) {
            return;
        }
        submission.failsIn(state(submission));
        boolean decidedByAnother = false;
        try {
            if (submission.decide(Outcomes.TIMED_OUT, connection.counters())) {
                report(submission, Outcomes.TIMED_OUT);
            } else {
                decidedByAnother = true;
            }
        } finally {
            // Announced even after an error, such as a lack of memory: no later tick would announce the outcome.
            if (!decidedByAnother) {
                submission.announce();
            }
        }
    }

    /**
     * Counts a late reply: a reply to a command of {@code submission} that already had an outcome when the reply
     * arrived.
     */
    void late(Submission submission) {
        connection.counters().countLate();
        FlightRecorderEvents.reportLateReply(connection.name(), connection.now() - submission.deadlineNanos);
    }

    /** Records a timeout event for each command of {@code submission} that has this {@code outcome}. */
    void report(Submission submission, Outcome outcome) {
        if (FlightRecorderEvents.timeoutsMayBeRecorded()) {
            ConnectionState state = Objects.requireNonNull(submission.stateAtFailure());
            submission.forEachCommand(outcome, command -> FlightRecorderEvents.reportTimeout(state, command, 1));
        }
    }

    /** Returns the state of this connection when {@code submission} failed. */
    ConnectionState state(Submission submission) {
        Wire current = connection.wire();
        return new ConnectionState(
                endpoint,
                connection.name(),
                phase(submission, current),
                window.commandsInFlight(),
                connection.options().inFlight(),
                window.bytesInFlight(),
                current.unsent(),
                window.waiting(),
                connection.now() - current.lastReadNanos());
    }

    private static String phase(Submission submission, Wire current) {
        if (submission.isAway()) {
            return ConnectionState.QUEUED;
        }
        if (submission.cost == 0) {
            return submission instanceof CallerSubmission of && of.waitsForCallbacks()
                    ? ConnectionState.WAITING_FOR_CALLBACKS
                    : ConnectionState.WAITING_FOR_A_PERMIT;
        }
        if (!current.isOpen()) {
            return ConnectionState.NOT_CONNECTED;
        }
        long end = submission.endPosition;
        return end == 0 || end > current.bytesTaken() ? ConnectionState.QUEUED : ConnectionState.SENT;
    }
}
