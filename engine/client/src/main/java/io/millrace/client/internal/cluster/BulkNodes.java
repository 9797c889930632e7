// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.cluster;

import io.millrace.client.BulkListener;
import io.millrace.client.BulkOptions;
import io.millrace.client.BulkWriter;
import io.millrace.client.FusionCounts;
import io.millrace.client.NodeCounts;
import io.millrace.client.Outcome;
import io.millrace.client.RedisUri;
import io.millrace.client.ReplicationListener.ServerListener;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.internal.bulk.BulkConnection;
import io.millrace.client.internal.connect.EndpointText;
import io.millrace.client.internal.server.ServerConnections;
import io.millrace.client.internal.slot.HashSlot;
import io.millrace.resp.Reply;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of a {@link ClusterBulkWriter}: one bulk connection for each primary that it uses, and the owner of each slot.
 * Used by the owner of the writer, except where noted.
 *
 * <p>The writer follows a {@code MOVED} at once, before the next refresh of the slot map. It forgets the {@code MOVED} when the
 * slot map names another owner than before.
 */
final class BulkNodes {

    /** Receives the outcome of each command on a connection of a node. */
    interface OutcomeListener {
        void ended(BulkNode node, long tag, CommandSpec<?> command, Outcome outcome);
    }

    /** Where a redirected command goes. */
    record Target(RedisUri.Tcp address, boolean asks) {}

    /** A node with its connection. */
    static final class BulkNode {

        final RedisUri.Tcp address;

        /** Receives the final outcomes of the commands of this node. */
        final BulkListener listener;

        /** The memory for the commands of this node. */
        final RecordSegments.Chain chain = new RecordSegments.Chain();

        /** Number of commands that are on the connection. */
        int pending;

        private @Nullable BulkConnection connection;

        private BulkNode(RedisUri.Tcp address, BulkListener listener) {
            this.address = address;
            this.listener = listener;
        }

        BulkConnection connection() {
            BulkConnection opened = connection;
            if (opened == null) {
                throw new IllegalStateException("the node has no connection");
            }
            return opened;
        }

        private NodeCounts counts() {
            BulkConnection counted = connection();
            return new NodeCounts(
                    EndpointText.of(address), counted.counts(), counted.resend().redirected());
        }

        /** Whether the connection was lost while no command was on it. */
        private boolean wasLostIdle() {
            return pending == 0 && !connection().isOpen();
        }

        /** Whether the connection has commands, or a mark is due or has no outcome yet. */
        private boolean isActive() {
            return pending > 0 || connection().resend().hasMarks();
        }
    }

    /** What other threads may see. Immutable, and replaced as a whole. */
    private record Connections(
            List<BulkNode> open,
            BulkWriter.Traffic closedTraffic,
            FusionCounts closedFusion,
            List<NodeCounts> closedCounts) {

        static final Connections NONE =
                new Connections(List.of(), new BulkWriter.Traffic(0, 0, 0, 0), FusionCounts.NONE, List.of());

        Connections with(BulkNode node) {
            List<BulkNode> more = new ArrayList<>(open);
            more.add(node);
            return new Connections(List.copyOf(more), closedTraffic, closedFusion, closedCounts);
        }

        Connections without(BulkNode node) {
            List<BulkNode> fewer = new ArrayList<>(open);
            fewer.remove(node);
            List<NodeCounts> closed = new ArrayList<>(closedCounts);
            closed.add(node.counts());
            return new Connections(
                    List.copyOf(fewer),
                    sum(closedTraffic, node.connection().traffic()),
                    closedFusion.plus(node.connection().fusion()),
                    NodeCounts.sum(closed));
        }
    }

    /**
     * The writer of each connection sleeps more often than that of a single connection, so a flush nearly always wakes a
     * thread. With batches of 16 KiB, these wake-ups took about 0.4 of the owner's time.
     */
    private static final int BATCH_BYTES = 48 * 1024;

    private final Topology topology;
    private final BulkOptions options;
    private final FinalOutcomes outcomes;
    private final OutcomeListener listener;
    private final Map<RedisUri.Tcp, BulkNode> nodes = new HashMap<>();
    private volatile Connections connections = Connections.NONE;

    // The owners of the slots by `routes`; null if the owner is not known yet. The last entry is the node for commands
    // without a key.
    private Routes routes = Routes.NONE;
    private final @Nullable BulkNode[] owners = new BulkNode[HashSlot.COUNT + 1];

    /** The owner that a {@code MOVED} has named, and the owner that the slot map named then. */
    private record Moved(RedisUri.Tcp to, RedisUri.@Nullable Tcp from) {}

    private final Map<Integer, Moved> moved = new HashMap<>();

    /**
     * Creates no connection yet.
     *
     * @param outcomes receives the marks
     * @param listener receives the outcomes of the commands on all connections
     */
    BulkNodes(Topology topology, BulkOptions options, FinalOutcomes outcomes, OutcomeListener listener) {
        this.topology = topology;
        this.options = options;
        this.outcomes = outcomes;
        this.listener = listener;
    }

    /**
     * Opens a connection to each primary.
     *
     * @param deadline end of the wait for a first node
     * @throws ConnectException if a primary cannot be reached
     */
    void openAll(long deadline) {
        ServerConnections unused = topology.awaitOwner(0, deadline);
        List<RedisUri.Tcp> primaries = topology.routes().map().primaries();
        boolean opened = false;
        try {
            if (primaries.isEmpty()) {
                throw unreachable(topology.obstacle(0));
            }
            for (RedisUri.Tcp primary : primaries) {
                if (at(primary) == null) {
                    throw unreachable("no connection to " + primary.host() + ":" + primary.port());
                }
            }
            opened = true;
        } finally {
            if (!opened) {
                // Perhaps the slots of this primary have another owner soon.
                topology.requestRefresh();
            }
        }
    }

    private static ConnectException unreachable(String why) {
        return new ConnectException(ConnectException.Reason.UNREACHABLE, "cannot open a bulk writer: " + why);
    }

    /**
     * The node of {@code slot}; null if the slot has no node at present. The slot {@link HashSlot#COUNT} stands for commands
     * without a key, and any node is suitable for them.
     *
     * @throws ConnectException if the node cannot be reached
     */
    @Nullable
    BulkNode ownerOf(int slot) {
        readRoutes();
        BulkNode owner = owners[slot];
        if (owner == null || owner.wasLostIdle()) {
            owner = slot == HashSlot.COUNT ? anyNode() : findOwner(slot);
            owners[slot] = owner;
        }
        return owner;
    }

    private void readRoutes() {
        Routes now = topology.routes();
        if (now != routes) {
            routes = now;
            Arrays.fill(owners, null);
        }
    }

    /** Whether the client has opened the owner of {@code slot}. Opens no connection. */
    boolean hasOpenOwner(int slot) {
        readRoutes();
        if (slot == HashSlot.COUNT) {
            return !routes.primaries().isEmpty();
        }
        RedisUri.Tcp owner = addressOf(slot);
        return owner != null && routes.nodes().containsKey(owner);
    }

    private @Nullable BulkNode anyNode() {
        for (BulkNode node : nodes.values()) {
            if (node.connection().isOpen()) {
                return node;
            }
        }
        List<RedisUri.Tcp> primaries = routes.map().primaries();
        return primaries.isEmpty() ? null : at(primaries.getFirst());
    }

    private @Nullable BulkNode findOwner(int slot) {
        RedisUri.Tcp owner = addressOf(slot);
        if (owner == null) {
            topology.requestRefresh();
            return null;
        }
        return at(owner);
    }

    private RedisUri.@Nullable Tcp addressOf(int slot) {
        RedisUri.Tcp owner = routes.map().ownerOf(slot);
        Moved redirect = moved.get(slot);
        if (redirect != null && redirect.from != null && redirect.from.equals(owner)) {
            return redirect.to;
        }
        if (redirect != null) {
            moved.remove(slot);
        }
        return owner;
    }

    /** Reads an error of {@code node}; null if the error is no redirect. */
    @Nullable
    Redirect redirect(Reply.ErrorReply error, BulkNode node) {
        return topology.redirect(error, node.address);
    }

    /** A node has answered that {@code slot} belongs to the node at {@code address}. */
    void moved(int slot, RedisUri.Tcp address) {
        topology.moved(slot, address);
        moved.put(slot, new Moved(address, routes.map().ownerOf(slot)));
        owners[slot] = null;
    }

    /**
     * The node at {@code address}; null if the client does not know it yet.
     *
     * @throws ConnectException if the node cannot be reached
     */
    @Nullable
    BulkNode at(RedisUri.Tcp address) {
        BulkNode node = nodes.get(address);
        if (node != null && !node.wasLostIdle()) {
            return node;
        }
        ServerConnections server = topology.routes().nodes().get(address);
        if (server == null) {
            topology.wanted(address);
            return null;
        }
        if (node != null) {
            close(node);
        }
        return open(address, server);
    }

    private BulkNode open(RedisUri.Tcp address, ServerConnections server) {
        BulkNode node = new BulkNode(address, outcomes.opened(EndpointText.of(address)));
        BulkListener received = (tag, command, outcome) -> listener.ended(node, tag, command, outcome);
        BulkConnection connection = server.bulkConnection(
                options,
                node.listener instanceof ServerListener marks ? new Marked(received, marks, outcomes) : received);
        connection.batchBytes(BATCH_BYTES);
        node.connection = connection;
        nodes.put(address, node);
        connections = connections.with(node);
        return node;
    }

    /** Passes the marks of a connection to the listener of its node. */
    private record Marked(BulkListener received, ServerListener marks, FinalOutcomes outcomes)
            implements ServerListener {

        @Override
        public void ended(long tag, CommandSpec<?> command, Outcome outcome) {
            received.ended(tag, command, outcome);
        }

        @Override
        public void marked(Outcome mark) {
            outcomes.marked(marks, mark);
        }

        @Override
        public void closed(boolean lost) {
            outcomes.closed(marks, lost);
        }
    }

    /** Closes the connection of {@code node}. Commands without an outcome are lost. */
    void close(BulkNode node) {
        node.connection().close();
        nodes.remove(node.address);
        connections = connections.without(node);
    }

    /** Sends all submitted commands, and the marks that are due. */
    void flush() {
        for (BulkNode node : all()) {
            if (node.isActive()) {
                node.connection().flush();
            }
        }
    }

    /** Reports the outcomes that are there. */
    void collect() {
        for (BulkNode node : all()) {
            if (node.isActive()) {
                node.connection().resend().collect();
            }
        }
    }

    /** Whether a mark has no outcome yet, or must be sent soon. */
    boolean awaitMarks() {
        for (BulkNode node : nodes.values()) {
            if (node.connection().resend().awaitsMarks()) {
                return true;
            }
        }
        return false;
    }

    /** All nodes with a connection. A copy. */
    List<BulkNode> all() {
        return new ArrayList<>(nodes.values());
    }

    // Called by any thread.

    void abort() {
        connections.open().forEach(node -> node.connection().abort());
    }

    BulkWriter.Traffic traffic() {
        Connections now = connections;
        BulkWriter.Traffic sum = now.closedTraffic();
        for (BulkNode node : now.open()) {
            sum = sum(sum, node.connection().traffic());
        }
        return sum;
    }

    FusionCounts fusion() {
        Connections now = connections;
        FusionCounts sum = now.closedFusion();
        for (BulkNode node : now.open()) {
            sum = sum.plus(node.connection().fusion());
        }
        return sum;
    }

    List<NodeCounts> counts() {
        Connections now = connections;
        List<NodeCounts> all = new ArrayList<>(now.closedCounts());
        now.open().forEach(node -> all.add(node.counts()));
        return NodeCounts.sum(all);
    }

    private static BulkWriter.Traffic sum(BulkWriter.Traffic a, BulkWriter.Traffic b) {
        return new BulkWriter.Traffic(
                a.bytesSent() + b.bytesSent(),
                a.peakInFlight() + b.peakInFlight(),
                a.windowNanos() + b.windowNanos(),
                a.socketNanos() + b.socketNanos());
    }
}
