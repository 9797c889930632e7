// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.cluster;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisUri;
import io.millrace.client.internal.connect.EndpointText;
import io.millrace.client.internal.connect.NodeOptions;
import io.millrace.client.internal.fusion.FusibleKinds;
import io.millrace.client.internal.push.ClusterSubscription;
import io.millrace.client.internal.push.ClusterTracking;
import io.millrace.client.internal.server.ServerConnections;
import io.millrace.client.internal.shared.ConnectionContext;
import io.millrace.client.internal.shared.FutureCompleter;
import io.millrace.client.internal.stats.ListenerCalls;
import io.millrace.client.internal.stats.StatsRegistry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Opens the nodes of a cluster, and tells lanes, trackings and subscriptions about changes. Used by the topology, except where noted. */
final class ClusterNodes implements NodeLifecycle {

    private final ConnectionContext context;
    private final StatsRegistry statsRegistry;
    private final FutureCompleter futureCompleter;
    private final Lane[] lanes;

    /** The open trackings. Changed by the threads that open and close them. */
    private final Set<ClusterTracking> trackings = ConcurrentHashMap.newKeySet();

    /** The open subscriptions. Changed by the threads that open and close them. */
    private final Set<ClusterSubscription> subscriptions = ConcurrentHashMap.newKeySet();

    /** Nodes that have left the cluster. A call that a lane keeps may still be counted by one of them. */
    private final List<ServerConnections> left = new ArrayList<>();

    ClusterNodes(
            ConnectionContext context, StatsRegistry statsRegistry, FutureCompleter futureCompleter, Lane[] lanes) {
        this.context = context;
        this.statsRegistry = statsRegistry;
        this.futureCompleter = futureCompleter;
        this.lanes = lanes;
    }

    @Override
    public ServerConnections open(RedisUri.Tcp address, boolean later, Runnable whenDoubtful) {
        ClientOptions node = NodeOptions.of(context.options(), address);
        String endpoint = EndpointText.of(address);
        ListenerCalls listener = context.listener();
        ConnectionContext ofNode = new ConnectionContext(
                node,
                context.login(),
                context.clockAndRandom(),
                context.timekeeper(),
                new FusibleKinds.RefusedKinds(),
                context.pushes(),
                listener == null ? null : listener.at(endpoint),
                whenDoubtful,
                true);
        return new ServerConnections(ofNode, statsRegistry, futureCompleter, endpoint + "/", later);
    }

    @Override
    public void change(boolean[] changed, Runnable publication) {
        for (Lane lane : lanes) {
            lane.beforeChange(changed);
        }
        try {
            publication.run();
        } finally {
            for (Lane lane : lanes) {
                lane.afterChange();
            }
        }
        trackings.forEach(ClusterTracking::primariesChanged);
        subscriptions.forEach(ClusterSubscription::ownersChanged);
    }

    @Override
    public void left(ServerConnections node) {
        left.add(node);
    }

    @Override
    public void refreshed() {
        if (!left.isEmpty() && Arrays.stream(lanes).noneMatch(Lane::keepsCalls)) {
            left.forEach(ServerConnections::retireStats);
            left.clear();
        }
    }

    /** Any thread: lets {@code subscription} follow the changes of the owners. */
    void add(ClusterSubscription subscription) {
        subscriptions.add(subscription);
    }

    /** Any thread. */
    void remove(ClusterSubscription subscription) {
        subscriptions.remove(subscription);
    }

    /** Any thread: lets {@code tracking} follow the changes of the primaries. */
    void add(ClusterTracking tracking) {
        trackings.add(tracking);
    }

    /** Any thread. */
    void remove(ClusterTracking tracking) {
        trackings.remove(tracking);
    }
}
