// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.cluster;

import io.millrace.client.RedisUri;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.internal.server.ServerConnections;

/** Opens nodes, and learns of changes. Called by the thread of the topology. */
interface NodeLifecycle {

    /**
     * Opens a node.
     *
     * @param later whether the node connects in the background
     * @param whenDoubtful runs on another thread when the primaries may have changed: a connection was lost, or a node does not reach the
     *     cluster; does not wait
     * @throws ConnectException if connecting fails
     */
    ServerConnections open(RedisUri.Tcp address, boolean later, Runnable whenDoubtful);

    /**
     * Some slots get new nodes.
     *
     * @param changed for each slot, whether it gets another node
     * @param publication makes the new nodes visible
     */
    void change(boolean[] changed, Runnable publication);

    /** A node has left the cluster, and its connections are closed. */
    void left(ServerConnections node);

    /** A node has answered with the slot map, and the map is published. */
    void refreshed();
}
