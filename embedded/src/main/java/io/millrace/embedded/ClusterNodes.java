// SPDX-License-Identifier: Apache-2.0
package io.millrace.embedded;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The servers of a cluster in the order of their start, also killed servers. */
record ClusterNodes(List<ClusterNode> all) {

    /** Servers cancel a planned failover that is not complete after five seconds. */
    private static final long FAILOVER_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(6);

    private record Claim(ClusterNode node, long configEpoch) {}

    /** The servers that were not killed. A paused server counts as running. */
    List<ClusterNode> running() {
        return all.stream().filter(node -> node.server().isAlive()).toList();
    }

    /**
     * Finds the entry of a server.
     *
     * @throws IllegalArgumentException if the server is not a server of this cluster
     */
    ClusterNode of(EmbeddedRedis server) {
        return all.stream()
                .filter(node -> node.server().equals(server))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "the server must be a server of this cluster: server=" + server + ", cluster=" + all));
    }

    /** Waits until a running server owns {@code slot}. */
    ClusterNode awaitOwner(int slot) {
        return new ClusterWait(ClusterWait.LIMIT).value("a running server owns slot " + slot, () -> {
            if (running().isEmpty()) {
                throw new EmbeddedRedisException("no server of the cluster is running. Start another cluster.");
            }
            return claims(slot)
                    .max(Comparator.comparingLong(Claim::configEpoch))
                    .map(Claim::node);
        });
    }

    /**
     * Finds the servers that count themselves as owners of a slot. For a moment after a failover or a move, the former
     * owner is one of them. The new owner has a higher epoch.
     */
    private Stream<Claim> claims(int slot) {
        return running().stream()
                .flatMap(node -> node.view().map(ClusterView::self).stream()
                        .filter(self -> self.slots().get(slot))
                        .map(self -> new Claim(node, self.configEpoch())));
    }

    /** The running servers that count themselves as replicas of {@code primary}. */
    List<ClusterNode> replicasOf(ClusterNode primary) {
        return running().stream()
                .filter(node -> node.view()
                        .map(view -> view.self().primaryId().equals(primary.id()))
                        .orElse(false))
                .toList();
    }

    /** Waits until the views of all running servers match {@code reached}. */
    void awaitAll(String state, Predicate<ClusterView> reached) {
        new ClusterWait(ClusterWait.LIMIT).until(state, () -> firstWithout(reached));
    }

    /** Describes a running server whose view does not match {@code reached}. */
    private Optional<String> firstWithout(Predicate<ClusterView> reached) {
        return running().stream()
                .filter(node -> !node.view().map(reached::test).orElse(false))
                .findFirst()
                .map(node -> "the server at port " + node.server().port());
    }

    /**
     * Makes {@code replica} a primary. Returns when all running servers know the new primary, and the former primary is its
     * replica.
     *
     * @throws IllegalArgumentException if {@code replica} is not a replica
     */
    void failOver(ClusterNode replica) {
        ClusterView.Entry before =
                ClusterView.parse(replica.call("CLUSTER", "NODES")).self();
        if (!before.isReplica()) {
            throw new IllegalArgumentException("the server must be a replica: server=" + replica.server());
        }
        promote(replica);
        awaitAll(
                "all servers know the new primary at port " + replica.server().port(),
                view -> view.find(replica.id())
                        .map(entry -> !entry.slots().isEmpty())
                        .orElse(false));
        new ClusterWait(ClusterWait.LIMIT)
                .until(
                        "the former primary is a replica",
                        () -> running().stream()
                                .filter(node -> node.id().equals(before.primaryId()) && !follows(node, replica))
                                .findFirst()
                                .map(node ->
                                        "the server at port " + node.server().port()));
    }

    /** Requests the failover, and requests it again if the servers have cancelled it. */
    private static void promote(ClusterNode replica) {
        long[] sentNanos = {System.nanoTime()};
        replica.call("CLUSTER", "FAILOVER");
        new ClusterWait(ClusterWait.LIMIT).until("the replica is a primary", () -> {
            if (replica.view().map(view -> view.self().isPrimary()).orElse(false)) {
                return Optional.empty();
            }
            if (System.nanoTime() - sentNanos[0] > FAILOVER_INTERVAL_NANOS) {
                sentNanos[0] = System.nanoTime();
                replica.ask("CLUSTER", "FAILOVER");
            }
            return Optional.of("the server at port " + replica.server().port());
        });
    }

    private boolean follows(ClusterNode node, ClusterNode primary) {
        return replicasOf(primary).contains(node) && node.isLinkedReplica();
    }
}
