// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.cluster;

import io.millrace.client.ClientOptions;
import io.millrace.client.KeySlot;
import io.millrace.client.RedisUri;
import io.millrace.client.Topic;
import io.millrace.client.internal.connect.NodeOptions;
import io.millrace.client.internal.push.ChannelOwners;
import io.millrace.client.internal.push.ClusterSubscription;
import io.millrace.resp.Reply;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of a cluster for its subscriptions. Thread-safe.
 *
 * @param seeds the addresses of the URI
 * @param nodes knows the open subscriptions
 */
record ChannelNodes(ClientOptions options, List<RedisUri.Tcp> seeds, Topology topology, ClusterNodes nodes)
        implements ChannelOwners {

    /** Codes of the errors that end without the user. */
    private static final Set<String> TEMPORARY = Set.of("CLUSTERDOWN", "LOADING", "MASTERDOWN", "TRYAGAIN");

    @Override
    public RedisUri.@Nullable Tcp ownerOf(Topic shardChannel) {
        return topology.routes().map().ownerOf(KeySlot.of(shardChannel.bytes()));
    }

    @Override
    public RedisUri.Tcp anyNode() {
        List<RedisUri.Tcp> primaries = topology.routes().map().primaries();
        return primaries.isEmpty() ? seeds.getFirst() : primaries.getFirst();
    }

    @Override
    public Set<RedisUri.Tcp> primaries() {
        return Set.copyOf(topology.routes().map().primaries());
    }

    @Override
    public ClientOptions optionsOf(RedisUri.Tcp address) {
        return NodeOptions.of(options, address);
    }

    @Override
    public ClientOptions optionsOfAnyNode() {
        Set<RedisUri.Tcp> known = new LinkedHashSet<>(topology.routes().nodes().keySet());
        known.addAll(seeds);
        return NodeOptions.of(options, new RedisUri.Cluster(List.copyOf(known)));
    }

    @Override
    public RefusalMeaning answer(Topic shardChannel, Reply.ErrorReply error, RedisUri.Tcp asked) {
        Redirect redirect = topology.redirect(error, asked);
        if (redirect != null) {
            topology.moved(redirect.slot(), redirect.address());
            return redirect.slot() == KeySlot.of(shardChannel.bytes())
                    ? RefusalMeaning.ELSEWHERE
                    : RefusalMeaning.OTHER_SLOT;
        }
        if (Redirect.isRedirect(error) || TEMPORARY.contains(error.code())) {
            topology.requestRefresh();
            return RefusalMeaning.ELSEWHERE;
        }
        return RefusalMeaning.REFUSED;
    }

    @Override
    public void requestRefresh() {
        topology.requestRefresh();
    }

    @Override
    public void closed(ClusterSubscription subscription) {
        nodes.remove(subscription);
    }
}
