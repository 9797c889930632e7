// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.cluster;

import io.millrace.client.KeySlot;
import io.millrace.client.RedisUri;
import io.millrace.client.internal.server.ServerConnections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The slot map of a cluster, and the open nodes. Immutable, so that any thread may read it without a lock. */
final class Routes {

    /** No slot has a node. */
    static final Routes NONE = new Routes(SlotMap.empty(), Map.of());

    private final SlotMap map;
    private final Map<RedisUri.Tcp, ServerConnections> nodes;
    private final @Nullable ServerConnections[] owners = new ServerConnections[KeySlot.COUNT];

    /** Creates routes. A slot whose owner is not among {@code nodes} has no node. */
    Routes(SlotMap map, Map<RedisUri.Tcp, ServerConnections> nodes) {
        this.map = map;
        this.nodes = Map.copyOf(nodes);
        for (int slot = 0; slot < owners.length; slot++) {
            RedisUri.Tcp owner = map.ownerOf(slot);
            owners[slot] = owner == null ? null : this.nodes.get(owner);
        }
    }

    SlotMap map() {
        return map;
    }

    /** All open nodes, also those that have no slots. */
    Map<RedisUri.Tcp, ServerConnections> nodes() {
        return nodes;
    }

    /** The open nodes of the primaries that have slots. */
    List<ServerConnections> primaries() {
        return map.primaries().stream()
                .filter(nodes::containsKey)
                .map(nodes::get)
                .toList();
    }

    /** The node of a slot; null if the slot has none at present. */
    @Nullable
    ServerConnections ownerOf(int slot) {
        return owners[slot];
    }

    /** For each slot, whether it has another node in {@code later}. */
    boolean[] differences(Routes later) {
        boolean[] changed = new boolean[owners.length];
        for (int slot = 0; slot < changed.length; slot++) {
            changed[slot] = owners[slot] != later.owners[slot];
        }
        return changed;
    }
}
