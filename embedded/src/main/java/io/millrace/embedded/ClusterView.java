// SPDX-License-Identifier: Apache-2.0
package io.millrace.embedded;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The cluster as one of its servers sees the cluster: the reply of {@code CLUSTER NODES}. */
record ClusterView(List<Entry> entries) {

    /** Number of hash slots of a cluster. */
    static final int SLOTS = 16_384;

    /** Index of the first slot in a line of {@code CLUSTER NODES}. */
    private static final int FIRST_SLOT = 8;

    /**
     * One server.
     *
     * @param flags such as {@code myself}, {@code master}, {@code slave}, {@code fail?}, {@code handshake}
     * @param primaryId id of the primary of a replica, and {@code -} for a primary
     * @param connected whether the server that answered has a connection to this server
     * @param slots the slots of a primary; empty for a replica
     */
    record Entry(String id, Set<String> flags, String primaryId, long configEpoch, boolean connected, BitSet slots) {

        boolean isPrimary() {
            return flags.contains("master");
        }

        boolean isReplica() {
            return flags.contains("slave");
        }

        boolean isReachable() {
            return connected && flags.stream().noneMatch(Set.of("handshake", "fail?", "fail", "noaddr")::contains);
        }

        private static Entry parse(String line) {
            String[] fields = line.split(" ", -1);
            BitSet slots = new BitSet(SLOTS);
            // A slot in brackets is moving to or from this server. The source of a move also lists the slot itself.
            Arrays.stream(fields)
                    .skip(FIRST_SLOT)
                    .filter(field -> !field.startsWith("["))
                    .forEach(field -> {
                        String[] range = field.split("-", 2);
                        slots.set(Integer.parseInt(range[0]), Integer.parseInt(range[range.length - 1]) + 1);
                    });
            return new Entry(
                    fields[0],
                    Set.of(fields[2].split(",", -1)),
                    fields[3],
                    Long.parseLong(fields[6]),
                    fields[7].equals("connected"),
                    slots);
        }
    }

    /** Parses the reply of {@code CLUSTER NODES}. */
    static ClusterView parse(String reply) {
        return new ClusterView(
                reply.lines().filter(line -> !line.isBlank()).map(Entry::parse).toList());
    }

    /** The server that answered. */
    Entry self() {
        return entries.stream()
                .filter(entry -> entry.flags().contains("myself"))
                .findFirst()
                .orElseThrow();
    }

    Optional<Entry> find(String id) {
        return entries.stream().filter(entry -> entry.id().equals(id)).findFirst();
    }

    /** Whether the server that answered sees {@code slot} at the server with this id. */
    boolean owns(String id, int slot) {
        return find(id).map(entry -> entry.slots().get(slot)).orElse(false);
    }

    /** Whether the server that answered knows this configuration epoch of the server with this id, or a later epoch. */
    boolean knows(String id, long configEpoch) {
        return find(id).map(entry -> entry.configEpoch() >= configEpoch).orElse(false);
    }

    /** Number of slots that have an owner. */
    int servedSlots() {
        return entries.stream().mapToInt(entry -> entry.slots().cardinality()).sum();
    }
}
