// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.cluster;

import io.millrace.client.RedisUri;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.internal.server.ServerConnections;
import java.util.Set;

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
     * @param primaries the primaries after the change
     * @param publication makes the new nodes visible
     */
    void change(boolean[] changed, Set<RedisUri.Tcp> primaries, Runnable publication);

    /** A node has left the cluster, and its connections are closed. */
    void left(ServerConnections node);

    /** The thread has looked at the cluster. */
    void looked();
}
