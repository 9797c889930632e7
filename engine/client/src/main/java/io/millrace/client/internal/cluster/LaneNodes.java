// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.cluster;

import io.millrace.client.RedisUri;
import io.millrace.client.internal.shared.SharedConnection;
import io.millrace.resp.Reply;
import org.jspecify.annotations.Nullable;

/** The nodes of a cluster, as a {@link Lane} sees them. Any thread; none of the methods waits. */
interface LaneNodes {

    /** The connection to the owner of {@code slot}; null if the slot has no node at present. */
    @Nullable
    SharedConnection ownerOf(int slot);

    /** The connection to the node at {@code address}; null if there is none. Then the node is opened soon. */
    @Nullable
    SharedConnection at(RedisUri.Tcp address);

    /**
     * Why calls to a node are lost at once. The node refuses the login, or has refused the login or TLS when the client opened it.
     * Null if the calls can wait for the node.
     *
     * @param slot a slot
     * @param address the address of the node; null for the owner of the slot
     */
    @Nullable
    String refusal(int slot, RedisUri.@Nullable Tcp address);

    /** Reads an error of the node at {@code asked}; null if the error is no redirect. */
    @Nullable
    Redirect redirect(Reply.ErrorReply error, RedisUri.Tcp asked);

    /** A node has answered that the slot belongs to the node at {@code address}. */
    void moved(int slot, RedisUri.Tcp address);
}
