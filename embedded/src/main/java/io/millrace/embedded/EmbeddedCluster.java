// SPDX-License-Identifier: Apache-2.0
package io.millrace.embedded;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;

/**
 * A private Redis Cluster: primaries that share the 16,384 slots, and replicas of each primary. If a primary is lost, the
 * other primaries promote one of its replicas after about two seconds. For this, the cluster needs three or more primaries.
 *
 * <p>A cluster is ready about 2.2 seconds after its start. A new primary serves no command in its first two seconds.
 *
 * <p>Each process ends as the process of an {@link EmbeddedRedis} does. All methods block until the cluster has reached the
 * state that they describe, for a minute at most. Thread-safe: moves of slots run one after another.
 */
public final class EmbeddedCluster implements AutoCloseable {

    /** A server without an answer for this time counts as lost. Short, so that a replica is promoted soon. */
    private static final Duration NODE_TIMEOUT = Duration.ofMillis(500);

    /**
     * Redis uses this default. Without replicas, a lost server has no successor, and on a busy machine a server may need longer than
     * {@link #NODE_TIMEOUT} to answer.
     */
    private static final Duration NODE_TIMEOUT_WITHOUT_REPLICAS = Duration.ofSeconds(15);

    private final ClusterNodes nodes;

    private final ReentrantLock moveLock = new ReentrantLock();
    /** The moves that have begun, by slot. Guarded by {@link #moveLock}. */
    private final Map<Integer, SlotMove> moves = new HashMap<>();

    private EmbeddedCluster(ClusterNodes nodes) {
        this.nodes = nodes;
    }

    /** Starts three primaries with one replica each, with {@link EmbeddedOptions#defaults}. */
    public static EmbeddedCluster start() {
        return start(EmbeddedOptions.defaults(), 3, 1);
    }

    /**
     * Starts a cluster and waits until all servers serve commands, and each replica has a copy of its primary.
     *
     * <p>The servers have the options {@code cluster-node-timeout 500} (milliseconds; 15000 without replicas,
     * so that the cluster tells of a lost server after 15 s) and {@code
     * cluster-require-full-coverage yes}, and a replica never changes to another primary. Additional lines of {@code
     * options} override these options, except {@code cluster-allow-replica-migration}.
     *
     * @param options options of each server; the password is also the password between the servers; TLS ports are not
     *     supported
     * @param primaries number of primaries, 1 or more
     * @param replicasPerPrimary number of replicas of each primary, 0 or more
     * @throws EmbeddedRedisException if a server does not start, or the cluster is not ready within a minute
     */
    public static EmbeddedCluster start(EmbeddedOptions options, int primaries, int replicasPerPrimary) {
        return start(options, primaries, replicasPerPrimary, ClusterWait.LIMIT);
    }

    static EmbeddedCluster start(EmbeddedOptions options, int primaries, int replicasPerPrimary, Duration limit) {
        if (primaries < 1 || primaries > ClusterView.SLOTS) {
            throw new IllegalArgumentException(
                    "primaries must be 1.." + ClusterView.SLOTS + ": primaries=" + primaries);
        }
        if (replicasPerPrimary < 0) {
            throw new IllegalArgumentException(
                    "replicasPerPrimary must be 0 or more: replicasPerPrimary=" + replicasPerPrimary);
        }
        if (options.tls().isPresent()) {
            throw new IllegalArgumentException("tls must be empty: an embedded cluster has no TLS ports");
        }
        int count = Math.multiplyExact(primaries, Math.addExact(replicasPerPrimary, 1));
        ClusterWait wait = new ClusterWait(limit);
        List<EmbeddedRedis> servers = ClusterServers.start(
                options, count, replicasPerPrimary == 0 ? NODE_TIMEOUT_WITHOUT_REPLICAS : NODE_TIMEOUT);
        boolean ready = false;
        try {
            List<ClusterNode> nodes = servers.stream().map(ClusterNode::of).toList();
            new ClusterFormation(nodes, primaries, wait).form();
            ready = true;
            return new EmbeddedCluster(new ClusterNodes(nodes));
        } finally {
            if (!ready) {
                ClusterServers.close(servers);
            }
        }
    }

    /** All servers, also killed servers. The first servers are the primaries of the start, in the order of their slots. */
    public List<EmbeddedRedis> nodes() {
        return nodes.all().stream().map(ClusterNode::server).toList();
    }

    /** {@code redis-cluster://127.0.0.1:port,127.0.0.1:port}, with all servers, without the password. */
    public String uri() {
        return nodes.all().stream()
                .map(node -> node.server().host() + ":" + node.server().port())
                .collect(Collectors.joining(",", "redis-cluster://", ""));
    }

    /**
     * Asks the servers for the present owner of a slot. Waits for a new owner if the owner was killed or is paused.
     *
     * @param slot 0..16383
     * @throws EmbeddedRedisException if no running server has owned the slot for a minute, or no server is running
     */
    public EmbeddedRedis primaryOf(int slot) {
        checkSlot(slot);
        return nodes.awaitOwner(slot).server();
    }

    /**
     * Asks the servers for the present replicas of a server, without killed and paused replicas. The result is empty if
     * {@code primary} is a replica.
     */
    public List<EmbeddedRedis> replicasOf(EmbeddedRedis primary) {
        return nodes.replicasOf(nodes.of(primary)).stream()
                .map(ClusterNode::server)
                .toList();
    }

    /**
     * Moves a slot and its keys to another primary while clients use the slot. Returns when all running servers know the
     * new owner.
     *
     * @throws IllegalArgumentException if {@code target} already owns the slot, or is no server of this cluster
     * @throws EmbeddedRedisException if a server is paused or rejects a command, for example because {@code target} is a
     *     replica; the slot may then stay half moved
     */
    public void moveSlot(int slot, EmbeddedRedis target) {
        moveLock.lock();
        try {
            beginMove(slot, target);
            finishMove(slot);
        } finally {
            moveLock.unlock();
        }
    }

    /**
     * Begins a move of a slot and moves no keys. Until {@link #finishMove}, the owner answers {@code ASK} for a key that
     * it does not have, and {@code target} answers {@code TRYAGAIN} (after {@code ASKING}) for a command with several keys
     * if it has only some of them. Both servers must stay primaries until the end of the move.
     *
     * @throws IllegalArgumentException if {@code target} already owns the slot, or is no server of this cluster
     * @throws IllegalStateException if a move of this slot has already begun
     */
    public void beginMove(int slot, EmbeddedRedis target) {
        checkSlot(slot);
        ClusterNode to = nodes.of(target);
        moveLock.lock();
        try {
            if (moves.containsKey(slot)) {
                throw new IllegalStateException("a move of the slot has already begun: slot=" + slot);
            }
            SlotMove move = new SlotMove(slot, nodes.awaitOwner(slot), to);
            if (move.source().equals(to)) {
                throw new IllegalArgumentException(
                        "the target already owns the slot: slot=" + slot + ", target=" + target);
            }
            move.begin();
            moves.put(slot, move);
        } finally {
            moveLock.unlock();
        }
    }

    /**
     * Moves keys of a slot after {@link #beginMove}, in no particular order. With a low limit, some keys of the slot are at
     * the target, and the others are at the owner.
     *
     * @param limit maximum number of keys, 0 or more
     * @return number of moved keys, less than {@code limit} if the owner has no more keys of the slot
     * @throws IllegalStateException if no move of this slot has begun
     */
    public int moveKeys(int slot, int limit) {
        if (limit < 0) {
            throw new IllegalArgumentException("limit must be 0 or more: limit=" + limit);
        }
        moveLock.lock();
        try {
            return begunMove(slot).moveKeys(limit);
        } finally {
            moveLock.unlock();
        }
    }

    /**
     * Ends a move after {@link #beginMove}: moves the remaining keys and gives the slot to the target. Returns when all
     * running servers know the new owner.
     *
     * @throws IllegalStateException if no move of this slot has begun
     */
    public void finishMove(int slot) {
        moveLock.lock();
        try {
            SlotMove move = begunMove(slot);
            move.moveKeys(Integer.MAX_VALUE);
            move.end(nodes.running());
            moves.remove(slot);
            String id = move.target().id();
            long epoch = move.target().configEpoch();
            // The epoch of the next move must be higher in all views. Otherwise a late message of the former owner of
            // the
            // slot could undo this move at some servers.
            nodes.awaitAll(
                    "all servers know the new owner of slot " + slot,
                    view -> view.owns(id, slot) && view.knows(id, epoch));
        } finally {
            moveLock.unlock();
        }
    }

    private static void checkSlot(int slot) {
        if (slot < 0 || slot >= ClusterView.SLOTS) {
            throw new IllegalArgumentException("slot must be 0.." + (ClusterView.SLOTS - 1) + ": slot=" + slot);
        }
    }

    private SlotMove begunMove(int slot) {
        return Optional.ofNullable(moves.get(slot))
                .orElseThrow(() -> new IllegalStateException("no move of the slot has begun: slot=" + slot));
    }

    /**
     * Makes a replica the primary of its slots without loss of data ({@code CLUSTER FAILOVER}). Returns when all running
     * servers know the new primary, and the former primary is its replica.
     *
     * @throws IllegalArgumentException if {@code replica} is no replica, or no server of this cluster
     * @throws EmbeddedRedisException if the primary was killed or is paused
     */
    public void failOver(EmbeddedRedis replica) {
        nodes.failOver(nodes.of(replica));
    }

    /** Ends all processes. Further calls have no effect. */
    @Override
    public void close() {
        ClusterServers.close(nodes());
    }

    @Override
    public String toString() {
        return "EmbeddedCluster[" + uri() + "]";
    }
}
