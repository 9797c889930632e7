// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.server;

import io.millrace.client.KeySlot;
import io.millrace.lab.client.Target;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.TreeMap;
import redis.clients.jedis.Protocol;

/** The primaries of a cluster, and the hash slots of each, at the time of the question. */
public final class SlotOwners {

    /** By the first slot of a range of slots. */
    private final TreeMap<Integer, Target> byFirstSlot = new TreeMap<>();

    private SlotOwners() {}

    /**
     * Asks a node.
     *
     * @throws LabException if the cluster has no slots
     */
    public static SlotOwners ask(Target node) {
        var owners = new SlotOwners();
        try (var jedis = ServerNodes.open(node)) {
            for (Object range : (List<?>) jedis.sendCommand(Protocol.Command.CLUSTER, "SLOTS")) {
                owners.addRange(node, (List<?>) range);
            }
        }
        if (owners.byFirstSlot.isEmpty()) {
            throw new LabException("the cluster has no slots: target=" + node + ". Assign the slots to nodes first.");
        }
        return owners;
    }

    /** Adds one entry of {@code CLUSTER SLOTS}: first slot, last slot, primary, replicas. */
    private void addRange(Target asked, List<?> range) {
        List<?> primary = (List<?>) range.get(2);
        String host = new String((byte[]) primary.get(0), StandardCharsets.UTF_8);
        int port = Math.toIntExact((Long) primary.get(1));
        byFirstSlot.put(Math.toIntExact((Long) range.get(0)), asked.at(host.isEmpty() ? asked.host() : host, port));
    }

    /** Each primary once, in the order of their first slots. */
    public List<Target> primaries() {
        return byFirstSlot.values().stream().distinct().toList();
    }

    /** The primary that holds {@code key}. */
    public Target of(String key) {
        return byFirstSlot.floorEntry(KeySlot.of(key)).getValue();
    }
}
