// SPDX-License-Identifier: Apache-2.0
package io.millrace.embedded;

import static io.millrace.embedded.ClusterView.SLOTS;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Forms a cluster from new servers.
 *
 * <pre>
 *   each server    CLUSTER SET-CONFIG-EPOCH n      accepted only before the server knows another server
 *   each primary   CLUSTER ADDSLOTS ...
 *   each pair      CLUSTER MEET                    then wait: all servers know each other
 *   each replica   CLUSTER REPLICATE primary       then wait: cluster_state:ok, and each replica has its copy
 * </pre>
 *
 * <p>A MEET for each pair is faster than a MEET for one server, because the servers need not wait for gossip. A primary
 * reports {@code cluster_state:fail} in the first two seconds after its start. No option changes this time.
 */
final class ClusterFormation {

    /** A server forgets a MEET without an answer after a second, or after the node timeout if this is longer. */
    private static final long MEET_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final List<ClusterNode> nodes;
    private final int primaries;
    private final ClusterWait wait;

    /** The first {@code primaries} of the nodes become primaries, and the others become replicas. */
    ClusterFormation(List<ClusterNode> nodes, int primaries, ClusterWait wait) {
        this.nodes = nodes;
        this.primaries = primaries;
        this.wait = wait;
    }

    void form() {
        for (int i = 0; i < nodes.size(); i++) {
            nodes.get(i).call("CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(i + 1));
            // Otherwise a primary without slots becomes a replica. Servers before 6.2 reject this option.
            nodes.get(i).ask("CONFIG", "SET", "cluster-allow-replica-migration", "no");
        }
        for (int i = 0; i < primaries; i++) {
            nodes.get(i).call(addSlots(i));
        }
        meet();
        for (int i = primaries; i < nodes.size(); i++) {
            nodes.get(i).call("CLUSTER", "REPLICATE", nodes.get(i % primaries).id());
        }
        wait.until("the cluster is ready", () -> firstOf(this::notReady));
    }

    /** The command for an equal share of the slots. */
    private String[] addSlots(int primary) {
        return Stream.concat(
                        Stream.of("CLUSTER", "ADDSLOTS"),
                        IntStream.range(firstSlot(primary), firstSlot(primary + 1))
                                .mapToObj(Integer::toString))
                .toArray(String[]::new);
    }

    private int firstSlot(int primary) {
        return (int) Math.round((double) primary * SLOTS / primaries);
    }

    private void meet() {
        long[] sentNanos = {sendMeets()};
        wait.until("all servers know each other", () -> {
            Optional<String> missing = firstOf(this::knowsTooFew);
            if (missing.isPresent() && System.nanoTime() - sentNanos[0] > MEET_INTERVAL_NANOS) {
                sentNanos[0] = sendMeets();
            }
            return missing;
        });
    }

    private long sendMeets() {
        for (int i = 0; i < nodes.size(); i++) {
            for (ClusterNode other : nodes.subList(i + 1, nodes.size())) {
                nodes.get(i)
                        .call(
                                "CLUSTER",
                                "MEET",
                                other.server().host(),
                                Integer.toString(other.server().port()));
            }
        }
        return System.nanoTime();
    }

    private Optional<String> firstOf(Function<ClusterNode, Optional<String>> obstacle) {
        return nodes.stream()
                .flatMap(node -> obstacle.apply(node).stream().map(missing -> describe(node) + " " + missing))
                .findFirst();
    }

    private Optional<String> knowsTooFew(ClusterNode node) {
        long known = node.view().map(this::reachable).orElse(0L);
        return known == nodes.size()
                ? Optional.empty()
                : Optional.of("knows " + known + " of " + nodes.size() + " servers");
    }

    /**
     * Describes why a server is not ready. On a busy machine, a replica may already have taken over from its primary, so
     * that the roles are not checked.
     */
    private Optional<String> notReady(ClusterNode node) {
        if (!node.ask("CLUSTER", "INFO").orElse("").contains("cluster_state:ok")) {
            return Optional.of("does not report cluster_state:ok");
        }
        Optional<ClusterView> view = node.view();
        long reachable = view.map(this::reachable).orElse(0L);
        long replicas = view.map(ClusterFormation::replicas).orElse(0L);
        int slots = view.map(ClusterView::servedSlots).orElse(0);
        if (reachable < nodes.size() || replicas != nodes.size() - primaries || slots != SLOTS) {
            return Optional.of("knows " + reachable + " of " + nodes.size() + " servers, " + replicas + " of "
                    + (nodes.size() - primaries) + " replicas and " + slots + " of " + SLOTS + " slots");
        }
        if (view.map(seen -> seen.self().isReplica()).orElse(false) && !node.isLinkedReplica()) {
            return Optional.of("has no connection to its primary");
        }
        return Optional.empty();
    }

    private long reachable(ClusterView view) {
        return nodes.stream()
                .filter(node ->
                        view.find(node.id()).map(ClusterView.Entry::isReachable).orElse(false))
                .count();
    }

    private static long replicas(ClusterView view) {
        return view.entries().stream().filter(ClusterView.Entry::isReplica).count();
    }

    /** Names the server, and shows the end of the log if the server has ended. */
    private static String describe(ClusterNode node) {
        EmbeddedRedis server = node.server();
        List<String> log = server.log();
        return "the server at port " + server.port()
                + (server.isAlive() ? "" : " (ended, log=" + (log.isEmpty() ? "none" : log.getLast()) + ")");
    }
}
