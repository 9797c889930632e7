// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.util.List;

/**
 * Statistics of a client: its commands, counted by outcome, and its connections. The counters of an open connection may
 * change while the statistics are read. Even then, the number of submitted commands of each connection equals the sum
 * of the other counts.
 *
 * @param counts commands of all connections, open and closed; a transaction or a script counts as one command, and
 *     handshakes are not counted
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
