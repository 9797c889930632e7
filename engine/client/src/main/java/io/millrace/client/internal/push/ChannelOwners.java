// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.push;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisUri;
import io.millrace.client.Topic;
import io.millrace.resp.Reply;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The nodes of a cluster, as its subscriptions need them. Thread-safe. No method waits. */
public interface ChannelOwners {

    /** What the error reply of a node about a shard channel means. */
    enum RefusalMeaning {
        /** The node refuses the shard channel: another node would do so, too. */
        REFUSED,
        /** Another node has the slot of the shard channel, or no node has it at present. */
        ELSEWHERE,
        /** The reply belongs to a command for another slot. */
        OTHER_SLOT
    }

    /** Address of the owner of the slot of {@code shardChannel}; null if the slot has no owner at present. */
    RedisUri.@Nullable Tcp ownerOf(Topic shardChannel);

    /** Address of any one node, if possible of a primary. */
    RedisUri.Tcp anyNode();

    /** Addresses of the primaries. */
    Set<RedisUri.Tcp> primaries();

    /** Options of a connection to the node at {@code address}. */
    ClientOptions optionsOf(RedisUri.Tcp address);

    /** Options of a connection to any one node. */
    ClientOptions optionsOfAnyNode();

    /**
     * Reads the error reply of the node at {@code asked} to {@code SSUBSCRIBE} or {@code SUNSUBSCRIBE}. If the owner has
     * changed, {@link ClusterSubscription#ownersChanged} is called soon.
     */
    RefusalMeaning answer(Topic shardChannel, Reply.ErrorReply error, RedisUri.Tcp asked);

    /** A node has ended a subscription, so the owners have changed. {@link ClusterSubscription#ownersChanged} is called soon. */
    void requestRefresh();

    /** {@code subscription} is closed. */
    void closed(ClusterSubscription subscription);
}
