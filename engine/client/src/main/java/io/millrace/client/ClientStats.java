// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.util.List;

/**
 * Statistics of a client: its commands, counted by outcome, and its connections. The client may execute commands while
 * a caller reads the statistics. Even then, the counts of each connection are consistent: the number of submitted
 * commands equals the sum of the other counts.
 *
 * @param counts commands of all connections, open and closed. A transaction counts as one command, and so does each
 *     {@code EVAL} or {@code EVALSHA}. The commands of handshakes are not counted
 * @param lateReplies number of replies that arrived after their command already had an outcome, such as a timeout
 * @param reconnections number of times a lost connection was replaced
 * @param fusion commands that were sent as part of a fused command
 * @param droppedPushes pushes dropped because the listener was too slow
 * @param listenerFailures exceptions that the {@link CommandListener} has thrown
 * @param connections statistics of each connection that is open or that the client is replacing after a loss
 */
public record ClientStats(
        CommandCounts counts,
        long lateReplies,
        long reconnections,
        FusionCounts fusion,
        long droppedPushes,
        long listenerFailures,
        List<ConnectionStats> connections) {

    public ClientStats {
        connections = List.copyOf(connections);
    }

    /**
     * Returns the requested kinds of fusion that at least one of the {@link #connections} does not use, with the
     * reasons. A kind that is off for the same reason on several connections is listed once.
     */
    public List<FusionOff> fusionOff() {
        return connections.stream()
                .flatMap(connection -> connection.fusionOff().stream())
                .distinct()
                .toList();
    }
}
