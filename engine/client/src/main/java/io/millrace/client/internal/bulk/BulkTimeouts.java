// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.bulk;

import io.millrace.client.command.CommandSpec;
import io.millrace.client.internal.io.Connection;
import io.millrace.client.internal.io.Outbox;
import io.millrace.client.internal.stats.ConnectionState;
import io.millrace.client.internal.stats.FlightRecorderEvents;

/** Records the timeouts of a bulk connection as Flight Recorder events. Used by the owner. */
final class BulkTimeouts {

    private final String endpoint;
    private final int limit;
    private final BulkProgress progress;
    private final BulkReplies replies;
    private final BulkWindow window;
    private final BulkDeadlines deadlines;
    private final Outbox outbox;
    private final Connection connection;

    BulkTimeouts(
            String endpoint,
            int limit,
            BulkProgress progress,
            BulkReplies replies,
            BulkWindow window,
            BulkDeadlines deadlines,
            Outbox outbox,
            Connection connection) {
        this.endpoint = endpoint;
        this.limit = limit;
        this.progress = progress;
        this.replies = replies;
        this.window = window;
        this.deadlines = deadlines;
        this.outbox = outbox;
        this.connection = connection;
    }

    /**
     * Records the timeout of one command on the wire, which stands for {@code commands} submitted commands and ends at
     * byte {@code position} of the connection.
     */
    void report(CommandSpec<?> spec, int commands, long position) {
        if (FlightRecorderEvents.timeoutsMayBeRecorded()) {
            String phase = position <= outbox.taken() ? ConnectionState.SENT : ConnectionState.QUEUED;
            FlightRecorderEvents.reportTimeout(state(phase), spec.name(), commands);
        }
    }

    /** Records that a command did not obtain permits before its deadline. */
    void reportNoPermit(CommandSpec<?> spec) {
        if (FlightRecorderEvents.timeoutsMayBeRecorded()) {
            FlightRecorderEvents.reportTimeout(state(ConnectionState.WAITING_FOR_A_PERMIT), spec.name(), 1);
        }
    }

    private ConnectionState state(String phase) {
        long taken = outbox.taken();
        long written = progress.writtenPosition();
        return new ConnectionState(
                endpoint,
                BulkConnection.NAME,
                phase,
                (int) window.inFlight(),
                limit,
                written - replies.repliedPosition(),
                written - taken,
                phase.equals(ConnectionState.WAITING_FOR_A_PERMIT) ? 1 : 0,
                deadlines.now() - connection.lastReadNanos());
    }
}
