// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.cluster;

import io.millrace.client.internal.server.ServerConnections;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Nodes that have left the cluster, and still have to answer commands. A node is closed after its last reply, or when it has
 * sent nothing for a second. Used by the thread of the topology.
 */
final class LeavingNodes {

    /** A healthy node answers much sooner: it only has to redirect the commands. */
    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final List<ServerConnections> nodes = new ArrayList<>();
    private final NodeLifecycle lifecycle;

    LeavingNodes(NodeLifecycle lifecycle) {
        this.lifecycle = lifecycle;
    }

    void add(ServerConnections node) {
        nodes.add(node);
    }

    boolean isEmpty() {
        return nodes.isEmpty();
    }

    /** Closes the nodes that owe no reply, and those that hang. */
    void closeFinished() {
        closeIf(node -> node.owesNothing() || !node.isOpen() || node.isStalled(SILENCE_NANOS));
    }

    void closeAll() {
        closeIf(node -> true);
    }

    private void closeIf(Predicate<ServerConnections> isFinished) {
        List<ServerConnections> finished = nodes.stream().filter(isFinished).toList();
        nodes.removeAll(finished);
        finished.forEach(node -> node.retire("the node has no slots any more"));
        for (ServerConnections node : finished) {
            node.close();
            lifecycle.left(node);
        }
    }
}
