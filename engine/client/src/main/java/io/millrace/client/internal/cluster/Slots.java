// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.cluster;

import io.millrace.client.BulkListener;
import io.millrace.client.BulkOptions;
import io.millrace.client.BulkWriter;
import io.millrace.client.ClientOptions;
import io.millrace.client.Outcome;
import io.millrace.client.RedisUri;
import io.millrace.client.internal.connect.EndpointText;
import io.millrace.client.internal.connect.SlotsQuery;
import io.millrace.client.internal.fusion.FusibleKinds;
import io.millrace.client.internal.server.ServerConnections;
import io.millrace.client.internal.shared.CallerSubmission;
import io.millrace.client.internal.shared.ConnectionContext;
import io.millrace.client.internal.shared.FutureCompleter;
import io.millrace.client.internal.shared.SharedConnection;
import io.millrace.client.internal.stats.ListenerCalls;
import io.millrace.client.internal.stats.StatsRegistry;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The nodes of a cluster, and the way of each submission to the owner of its slot. Thread-safe. */
public final class Slots implements AutoCloseable {

    private final ConnectionContext context;
    private final StatsRegistry statsRegistry;
    private final FutureCompleter futureCompleter;
    private final Topology topology;
    private final Lane[] lanes;

    /**
     * Connects to the cluster, or starts to connect if the client connects later.
     *
     * @throws io.millrace.client.exception.ConnectException if no node answers, or no node can be opened
     */
    public Slots(
            ConnectionContext context,
            RedisUri.Cluster cluster,
            StatsRegistry statsRegistry,
            FutureCompleter futureCompleter) {
        this.context = context;
        this.statsRegistry = statsRegistry;
        this.futureCompleter = futureCompleter;
        ClientOptions options = context.options();
        SlotsQuery query =
                new SlotsQuery(options, context.login(), context.clockAndRandom().clock());
        this.topology =
                new Topology(options, cluster, query, context.clockAndRandom(), this::open, this::ownersChanged);
        this.lanes = new Lane[options.connections()];
        for (int i = 0; i < lanes.length; i++) {
            lanes[i] = new Lane(new NodesOfLane(topology, i), context.timekeeper());
        }
        boolean started = false;
        try {
            topology.start();
            started = true;
        } finally {
            if (!started) {
                close();
            }
        }
    }

    /** The connections of one lane. */
    private record NodesOfLane(Topology topology, int lane) implements Lane.Nodes {

        @Override
        public @Nullable SharedConnection ownerOf(int slot) {
            ServerConnections owner = topology.routes().ownerOf(slot);
            return owner == null ? null : owner.connection(lane);
        }

        @Override
        public @Nullable SharedConnection at(RedisUri.Tcp address) {
            ServerConnections node = topology.routes().nodes().get(address);
            if (node == null) {
                topology.wanted(address);
                return null;
            }
            return node.connection(lane);
        }

        @Override
        public void moved(int slot, RedisUri.Tcp address) {
            topology.moved(slot, address);
        }
    }

    /** Topology: opens the node at {@code address}. */
    private ServerConnections open(RedisUri.Tcp address) {
        ClientOptions client = context.options();
        RedisUri uri = client.uri().ofNode(address);
        ListenerCalls listener = context.listener();
        ConnectionContext ofNode = new ConnectionContext(
                client.withUri(uri),
                context.login(),
                context.clockAndRandom(),
                context.timekeeper(),
                new FusibleKinds.RefusedKinds(),
                context.pushes(),
                listener == null ? null : listener.at(EndpointText.of(uri)),
                topology::look);
        return new ServerConnections(ofNode, statsRegistry, futureCompleter, EndpointText.of(uri) + "/", false);
    }

    private void ownersChanged(boolean[] changed) {
        for (Lane lane : lanes) {
            lane.ownersChanged(changed);
        }
    }

    // Called by the threads that submit.

    /**
     * Submits {@code call}, whose keys have {@code slot}. Waits for a node of the slot, and for permits, at most until the
     * deadline of the call.
     *
     * @return false if the slot has no node; nothing is submitted then
     */
    public boolean submit(CallerSubmission call, int slot, int lane, long deadline) {
        ServerConnections owner = topology.awaitOwner(slot, deadline);
        if (owner == null) {
            return false;
        }
        call.routeBy(lanes[lane], slot);
        owner.connection(lane).submit(call);
        return true;
    }

    /** The outcome of a call whose slot has no node. */
    public Outcome.Lost withoutNode(int slot) {
        return new Outcome.Lost(false, topology.obstacle(slot));
    }

    /** The node of {@code slot}; null if there is none until {@code deadline}. */
    public @Nullable ServerConnections nodeOf(int slot, long deadline) {
        return topology.awaitOwner(slot, deadline);
    }

    /**
     * Opens a bulk writer over all primaries.
     *
     * @throws io.millrace.client.exception.ConnectException if a primary cannot be reached
     */
    public BulkWriter bulkWriter(BulkOptions bulk, BulkListener listener) {
        return new ClusterBulkWriter(
                topology,
                context.clockAndRandom().clock(),
                statsRegistry,
                bulk,
                listener,
                context.options().connectTimeout().toNanos());
    }

    /** The nodes that have slots. May be empty while the client has no connection. */
    public List<ServerConnections> primaries() {
        return topology.routes().primaries();
    }

    /** The shared connections of all open nodes. */
    public List<SharedConnection> shared() {
        List<SharedConnection> all = new ArrayList<>();
        topology.routes().nodes().values().forEach(node -> all.addAll(node.shared()));
        return all;
    }

    /** Whether each slot has a node, and each node is open. */
    public boolean isOpen() {
        Routes routes = topology.routes();
        return routes.map().unowned() == 0
                && routes.nodes().keySet().containsAll(routes.map().primaries())
                && routes.primaries().stream().allMatch(ServerConnections::isOpen);
    }

    /** The credentials have changed. */
    public void loginChanged() {
        topology.routes().nodes().values().forEach(ServerConnections::loginChanged);
    }

    /** A command over a dedicated connection was redirected. */
    public void look() {
        topology.look();
    }

    /** Closes all nodes. Commands without an outcome are lost. */
    @Override
    public void close() {
        topology.close();
        for (Lane lane : lanes) {
            if (lane != null) {
                lane.close("closed by this client");
            }
        }
    }
}
