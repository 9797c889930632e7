// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.util.List;

/**
 * What became of every command of a client, at one moment. The figures of connections that are in use go on changing while
 * they are read, but each adds up.
 *
 * @param counts of all connections that there were; a transaction is one command, as is a script; handshakes are none
 * @param lateReplies replies to commands whose outcome had been decided before
 * @param reconnections how often a lost connection was replaced
 * @param fusion how many of the commands went out as part of another
 * @param droppedPushes pushes that came faster than the listener took them
 * @param connections those that are open or to be opened again
 */
public record ClientAccount(
        CommandCounts counts,
        long lateReplies,
        long reconnections,
        FusionCounts fusion,
        long droppedPushes,
        List<ConnectionAccount> connections) {

    public ClientAccount {
        connections = List.copyOf(connections);
    }
}
