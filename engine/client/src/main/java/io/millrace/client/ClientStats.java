// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.util.List;

/**
 * Statistics of a client: all its commands, counted by outcome. The counters of open connections change while they are
 * read, but the counts of each connection always add up.
 *
 * @param counts commands of all connections, past and present; a transaction or a script is one command, handshakes are
 *     not counted
 * @param lateReplies replies to commands that already had their outcome
 * @param reconnections number of times a lost connection was replaced
 * @param fusion commands that were sent as part of a fused command
 * @param droppedPushes pushes dropped because the listener was too slow
 * @param connections connections that are open or being reopened
 */
public record ClientStats(
        CommandCounts counts,
        long lateReplies,
        long reconnections,
        FusionCounts fusion,
        long droppedPushes,
        List<ConnectionStats> connections) {

    public ClientStats {
        connections = List.copyOf(connections);
    }
}
