// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.util.List;

/**
 * Statistics of one connection.
 *
 * @param open whether the connection works at this moment
 * @param counts all commands of the connection, counted by outcome; a reconnection does not reset the counts
 * @param inFlight number of commands in flight. A command counts until its reply arrives, even if the command has timed
 *     out
 * @param bytesInFlight bytes of the commands in flight
 * @param lateReplies number of replies that arrived after their command already had an outcome, such as a timeout
 * @param reconnections number of times the connection was lost and replaced, or changed to another server because its
 *     server refused writes
 * @param retries number of times a command was sent again because the server had refused it temporarily; a transaction
 *     counts as one command
 * @param fusion commands that were sent as part of a fused command
 * @param fusionOff requested kinds of fusion that this connection does not use, with the reasons; always empty for
 *     dedicated connections
 */
public record ConnectionStats(
        String name,
        Kind kind,
        boolean open,
        CommandCounts counts,
        int inFlight,
        long bytesInFlight,
        long lateReplies,
        long reconnections,
        long retries,
        FusionCounts fusion,
        List<FusionOff> fusionOff) {

    public ConnectionStats {
        fusionOff = List.copyOf(fusionOff);
    }

    /** Purpose of a connection. */
    public enum Kind {
        /** Carries the commands of all callers. */
        SHARED,
        /** Carries the commands of one borrower at a time. */
        DEDICATED,
        /** Belongs to a bulk writer. */
        BULK
    }
}
