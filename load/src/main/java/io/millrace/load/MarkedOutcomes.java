// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.Outcome;
import io.millrace.client.ReplicationListener;
import io.millrace.client.command.CommandSpec;
import org.jspecify.annotations.Nullable;

/**
 * Receives the outcomes of a writer, with the server that has acknowledged each row, and passes the marks to a {@link
 * FailoverWatch}. Confined to the loading thread.
 */
record MarkedOutcomes(FailoverWatch watch, Receiver receiver) implements ReplicationListener {

    /** Receives the outcome of each command. */
    interface Receiver {

        /**
         * Called as {@link io.millrace.client.BulkListener#ended}.
         *
         * @param server the rows of the connection that had the command; null if the command was on no connection
         */
        void ended(long tag, CommandSpec<?> command, Outcome outcome, @Nullable ServerRows server);
    }

    @Override
    public void ended(long tag, CommandSpec<?> command, Outcome outcome) {
        receiver.ended(tag, command, outcome, null);
    }

    @Override
    public ServerListener opened(String server) {
        return new OfServer(watch, receiver, watch.opened(server));
    }

    private record OfServer(FailoverWatch watch, Receiver receiver, ServerRows rows) implements ServerListener {

        @Override
        public void ended(long tag, CommandSpec<?> command, Outcome outcome) {
            receiver.ended(tag, command, outcome, rows);
        }

        @Override
        public void marked(Outcome mark) {
            watch.marked(rows, mark);
        }

        @Override
        public void closed(boolean lost) {
            watch.closed(rows, lost);
        }
    }
}
