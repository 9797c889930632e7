// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.cluster;

import io.millrace.client.RedisUri;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** What redirects have said since the last refresh of the slot map. Any thread adds notes; the thread of the topology uses them. */
final class RedirectNotes {

    private final Map<Integer, RedisUri.Tcp> moved = new ConcurrentHashMap<>();
    private final Set<RedisUri.Tcp> wanted = ConcurrentHashMap.newKeySet();

    /** When a redirect has needed each node for the last time: a node may get its first slot. Used by the topology. */
    private final Map<RedisUri.Tcp, Long> lastWanted = new HashMap<>();

    private final long keptNanos;

    /** Creates notes. A node that a redirect has needed counts as needed for {@code keptNanos}. */
    RedirectNotes(long keptNanos) {
        this.keptNanos = keptNanos;
    }

    /** Any thread: {@code slot} belongs to the node at {@code address}. */
    void moved(int slot, RedisUri.Tcp address) {
        moved.put(slot, address);
    }

    /** Any thread: a redirect needs the node at {@code address}. Returns false if that is known already. */
    boolean wanted(RedisUri.Tcp address) {
        return wanted.add(address);
    }

    /** The new owners of slots. Removes them. */
    Map<Integer, RedisUri.Tcp> takeMoved() {
        Map<Integer, RedisUri.Tcp> taken = new HashMap<>(moved);
        taken.forEach(moved::remove);
        return taken;
    }

    /** The nodes that redirects need. */
    Set<RedisUri.Tcp> wanted() {
        return Set.copyOf(wanted);
    }

    /** The topology has opened {@code nodes}, or cannot open them now. */
    void tried(Set<RedisUri.Tcp> nodes, long now) {
        wanted.removeAll(nodes);
        nodes.forEach(address -> lastWanted.put(address, now));
        lastWanted.values().removeIf(time -> now - time > keptNanos);
    }

    /** Whether a redirect has needed the node at {@code address} lately. */
    boolean neededLately(RedisUri.Tcp address) {
        return lastWanted.containsKey(address);
    }
}
