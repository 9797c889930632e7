// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.cluster;

import io.millrace.client.BulkListener;
import io.millrace.client.BulkOptions;
import io.millrace.client.BulkWriter;
import io.millrace.client.ClientOptions;
import io.millrace.client.KeySlot;
import io.millrace.client.Outcome;
import io.millrace.client.Overflow;
import io.millrace.client.Pipeline;
import io.millrace.client.RedisUri;
import io.millrace.client.ResultListener;
import io.millrace.client.SubscribeOptions;
import io.millrace.client.Subscription;
import io.millrace.client.Tracking;
import io.millrace.client.TrackingOptions;
import io.millrace.client.command.ArgumentSink;
import io.millrace.client.command.Command;
import io.millrace.client.exception.ConnectionLostException;
import io.millrace.client.internal.connect.EndpointText;
import io.millrace.client.internal.connect.SlotsQuery;
import io.millrace.client.internal.pool.BorrowedConnection;
import io.millrace.client.internal.push.ClusterSubscription;
import io.millrace.client.internal.push.ClusterTracking;
import io.millrace.client.internal.server.ManyServersCall;
import io.millrace.client.internal.server.ServerConnections;
import io.millrace.client.internal.server.Servers;
import io.millrace.client.internal.shared.CallPipeline;
import io.millrace.client.internal.shared.CallerSubmission;
import io.millrace.client.internal.shared.ConnectionContext;
import io.millrace.client.internal.shared.FutureCompleter;
import io.millrace.client.internal.shared.PipelineBatch;
import io.millrace.client.internal.shared.SharedConnection;
import io.millrace.client.internal.shared.SubmissionTarget;
import io.millrace.client.internal.stats.StatsRegistry;
import io.millrace.resp.Reply;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Sends each submission to the node that owns its hash slot. Thread-safe. */
public final class Slots implements Servers {

    private final ConnectionContext context;
    private final StatsRegistry statsRegistry;
    private final ClusterNodes nodes;
    private final Topology topology;
    private final Lane[] lanes;
    private final LaneTarget[] targets;
    private final List<RedisUri.Tcp> seeds;

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
        ClientOptions options = context.options();
        SlotsQuery query = new SlotsQuery(
                options, context.login(), context.clockAndRandom().clock());
        this.seeds = cluster.nodes();
        this.lanes = new Lane[options.connections()];
        this.nodes = new ClusterNodes(context, statsRegistry, futureCompleter, lanes);
        this.topology = new Topology(options, cluster, query, context.clockAndRandom(), nodes);
        this.targets = new LaneTarget[lanes.length];
        for (int i = 0; i < lanes.length; i++) {
            targets[i] = new LaneTarget(i);
            lanes[i] = new Lane(new NodesOfLane(topology, i), context.timekeeper(), options);
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
    private record NodesOfLane(Topology topology, int lane) implements LaneNodes {

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
        public @Nullable String refusal(int slot, RedisUri.@Nullable Tcp address) {
            Routes routes = topology.routes();
            RedisUri.Tcp asked = address == null ? routes.map().ownerOf(slot) : address;
            ServerConnections node = asked == null ? null : routes.nodes().get(asked);
            return node == null
                    ? topology.refusal(asked)
                    : node.connection(lane).refusal();
        }

        @Override
        public @Nullable Redirect redirect(Reply.ErrorReply error, RedisUri.Tcp asked) {
            return topology.redirect(error, asked);
        }

        @Override
        public void moved(int slot, RedisUri.Tcp address) {
            topology.moved(slot, address);
        }
    }

    // Called by the threads that submit.

    @Override
    public SubmissionTarget target(int lane) {
        return targets[lane];
    }

    @Override
    public Pipeline pipeline(int lane, @Nullable ResultListener listener) {
        return new CallPipeline(targets[lane], context.options(), listener);
    }

    /** The calls of one lane. Each call goes to the owner of its hash slot. */
    private final class LaneTarget implements SubmissionTarget {

        private final int lane;

        /** Commands without keys go to the owner of this hash slot, so that those of one thread stay in order. */
        private final int slotWithoutKeys;

        LaneTarget(int lane) {
            this.lane = lane;
            this.slotWithoutKeys = context.clockAndRandom().random().nextInt(KeySlot.COUNT);
        }

        @Override
        public long now() {
            return context.now();
        }

        @Override
        public void check(Command<?> command) {
            int unused = command.hashSlot();
            if (ClusterScan.isScan(command) || ManyServersCommands.of(command) != null) {
                throw new IllegalArgumentException(
                        command.spec().name()
                                + " runs on all nodes, so a pipeline or transaction cannot contain it. Use RedisClient.call(command)");
            }
        }

        @Override
        public void submit(CallerSubmission submission) {
            int found = submission.hashSlot();
            int slot = found < 0 ? slotWithoutKeys : found;
            ServerConnections owner = ownerOf(slot, submission.deadline());
            if (owner == null) {
                submission.endWithoutNode(
                        new Outcome.Lost(false, found < 0 ? topology.obstacleWithoutKeys() : topology.obstacle(slot)),
                        context.listener(),
                        statsRegistry.withoutConnection(),
                        now());
                return;
            }
            submission.routeBy(lanes[lane], slot);
            owner.connection(lane).submit(submission);
        }

        @Override
        public void submitAgain(PipelineBatch batch) {
            throw new IllegalStateException("a pipeline to a cluster has no batches");
        }
    }

    /** The node of {@code slot}; null if the slot has none. Waits until {@code deadline}, if the client may wait. */
    private @Nullable ServerConnections ownerOf(int slot, long deadline) {
        return topology.awaitOwner(slot, context.options().overflow() == Overflow.REFUSE ? context.now() : deadline);
    }

    @Override
    public BorrowedConnection borrow(int hashSlot, long deadline) {
        int slot = hashSlot == NO_HASH_SLOT ? context.clockAndRandom().random().nextInt(KeySlot.COUNT) : hashSlot;
        ServerConnections owner = topology.awaitOwner(slot, deadline);
        if (owner == null) {
            throw new ConnectionLostException(
                    "a dedicated connection was lost: " + topology.obstacle(slot) + ". Nothing was sent", false);
        }
        return owner.borrow(slot, deadline);
    }

    @Override
    public boolean follows(BorrowedConnection connection, Reply.ErrorReply error, long deadline) {
        RedisUri.Tcp asked = connection.serverAddress();
        Redirect redirect = asked == null ? null : topology.redirect(error, asked);
        if (redirect == null || !topology.follow(redirect, deadline)) {
            return false;
        }
        connection.countRedirected();
        return true;
    }

    @Override
    public <T> @Nullable ManyServersCall<T> manyServersCall(Command<T> command, int lane) {
        if (ClusterScan.isScan(command)) {
            return scan(command, lane);
        }
        ManyServersCommands rule = ManyServersCommands.of(command);
        if (rule == null) {
            return null;
        }
        List<SubmissionTarget> primaries = new ArrayList<>();
        for (ServerConnections primary : openPrimaries(command)) {
            primaries.add(primary.connection(lane));
        }
        return new ManyServersCall<>(command.as(reply -> reply), primaries, rule.valueOf(command));
    }

    private <T> ManyServersCall<T> scan(Command<T> command, int lane) {
        List<Object> arguments = new ArrayList<>();
        command.writeTo(new ArgumentSink() {
            @Override
            public ArgumentSink arg(byte[] bytes, int offset, int length) {
                arguments.add(Arrays.copyOfRange(bytes, offset, offset + length));
                return this;
            }
        });
        openPrimaries(command);
        Routes routes = topology.routes();
        String cursor = arguments.isEmpty() ? "" : new String((byte[]) arguments.getFirst(), StandardCharsets.UTF_8);
        ClusterScan scan = ClusterScan.of(cursor, routes.map());
        ServerConnections node = routes.nodes().get(scan.node());
        if (node == null) {
            throw lost(command, "the node " + EndpointText.of(scan.node()) + " cannot be reached");
        }
        arguments.set(0, scan.cursor());
        return new ManyServersCall<>(
                Command.of("SCAN", arguments.toArray()),
                List.of(node.connection(lane)),
                replies -> command.spec().decode(scan.page(replies.getFirst())));
    }

    /** The primaries. Waits for the first of them, and fails if one of them cannot be reached. */
    private List<ServerConnections> openPrimaries(Command<?> command) {
        ServerConnections unused = ownerOf(
                0,
                context.now()
                        + command.deadlineNanos(
                                context.options().commandTimeout().toNanos()));
        Routes routes = topology.routes();
        List<ServerConnections> primaries = routes.primaries();
        if (primaries.isEmpty() || primaries.size() < routes.map().primaries().size()) {
            throw lost(command, missing(routes));
        }
        return primaries;
    }

    /** Names the primaries without a connection, and the reason for the first of them. */
    private String missing(Routes routes) {
        for (int slot = 0; slot < KeySlot.COUNT; slot++) {
            if (routes.map().ownerOf(slot) != null && routes.ownerOf(slot) == null) {
                return routes.map().primaries().stream()
                        .filter(primary -> !routes.nodes().containsKey(primary))
                        .map(EndpointText::of)
                        .collect(Collectors.joining(
                                ", ", "these primaries have no connection: ", ". " + topology.obstacle(slot)));
            }
        }
        return topology.obstacle(0);
    }

    private static ConnectionLostException lost(Command<?> command, String why) {
        return new ConnectionLostException(
                command.spec().name() + " was lost: " + why + " (maybeExecuted=false). The command can be repeated",
                false);
    }

    @Override
    public BulkWriter bulkWriter(BulkOptions bulk, BulkListener listener) {
        return new ClusterBulkWriter(
                topology,
                context.clockAndRandom().clock(),
                statsRegistry,
                bulk,
                listener,
                context.options().connectTimeout().toNanos());
    }

    @Override
    public Subscription subscribe(SubscribeOptions subscription) {
        return ClusterSubscription.open(
                context.options(),
                context.login(),
                context.clockAndRandom(),
                subscription,
                new ChannelNodes(context.options(), seeds, topology, nodes),
                nodes::add);
    }

    @Override
    public Tracking track(TrackingOptions tracking) {
        ClusterTracking all = new ClusterTracking(
                context.options(),
                context.login(),
                context.clockAndRandom(),
                tracking,
                this::primaryAddresses,
                nodes::remove);
        all.open();
        nodes.add(all);
        // The primaries may have changed since the tracking was opened.
        all.primariesChanged();
        return all;
    }

    private Set<RedisUri.Tcp> primaryAddresses() {
        return Set.copyOf(topology.routes().map().primaries());
    }

    @Override
    public List<SharedConnection> shared() {
        List<SharedConnection> all = new ArrayList<>();
        topology.routes().nodes().values().forEach(node -> all.addAll(node.shared()));
        return all;
    }

    /** Whether each slot has a node, and each node is open. */
    @Override
    public boolean isOpen() {
        Routes routes = topology.routes();
        return routes.map().unowned() == 0
                && routes.nodes().keySet().containsAll(routes.map().primaries())
                && routes.primaries().stream().allMatch(ServerConnections::isOpen);
    }

    @Override
    public void loginChanged() {
        topology.routes().nodes().values().forEach(ServerConnections::loginChanged);
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
