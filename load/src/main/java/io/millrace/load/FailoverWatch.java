// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.Outcome;
import io.millrace.client.RedisClient;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds the acknowledged rows that a failover may have taken back. Each connection of a load has its own watch, which in a
 * cluster follows all primaries. Confined to the loading thread.
 *
 * <p>DESIGN. Redis replicates asynchronously. A mark in the order of the rows ({@code INFO replication}) gives an offset that
 * all earlier rows of the connection are before. A promoted replica says up to which offset of the earlier history it has
 * come:
 *
 * <pre>
 *   rows of the earlier primary    x x x | x x x x | x x x x | x x        | mark
 *   offset of the mark                   120       250       390
 *   promoted replica               second_repl_offset = 301
 *                                  in the new history   in doubt
 * </pre>
 *
 * <p>The rows up to mark 250 become rows of the new history, because the next failover may take them back, too. A mark says
 * nothing about rows of other connections, so each connection has marks of its own. A server without such a relation to an
 * earlier history is another server, or has lost its memory: then all rows of the earlier history are in doubt.
 */
final class FailoverWatch {

    /** Begin of the key of a history whose server does not report its state. */
    private static final String UNKNOWN = "server ";

    private final WatchedServers servers;
    private final Consumer<MarkedRows> takenBack;
    private final Map<String, ReplicationHistory> histories = new HashMap<>();

    /** Identity of the process of the only server; empty if it is unknown, or for a cluster. */
    private Optional<String> runId;

    /** Whether it remained unknown which rows the present servers have. */
    private boolean isUncertain;

    /** The last connection to the only server. */
    private @Nullable ServerRows last;

    /**
     * Creates the watch of a connection.
     *
     * @param runId identity of the process of the only server; empty if it is unknown. Not used for a cluster
     * @param takenBack receives the rows that may have been taken back
     */
    FailoverWatch(WatchedServers servers, Optional<String> runId, Consumer<MarkedRows> takenBack) {
        this.servers = servers;
        this.runId = runId;
        this.takenBack = takenBack;
    }

    /** Called before a connection to {@code server} is opened. */
    ServerRows opened(String server) {
        ServerRows rows = new ServerRows(server);
        last = rows;
        return rows;
    }

    private ReplicationHistory history(String key) {
        return histories.computeIfAbsent(key, id -> new ReplicationHistory(takenBack));
    }

    /** Called with the outcome of a mark. An outcome without a state, such as an error, changes nothing. */
    void marked(ServerRows rows, Outcome mark) {
        if (mark instanceof Outcome.Failed failed
                && !ServerError.of(failed.error()).isTemporary()) {
            rows.refuseMarks();
        }
        ReplicationState.of(mark).ifPresent(state -> marked(rows, state));
    }

    private void marked(ServerRows rows, ReplicationState state) {
        ReplicationHistory before = rows.history();
        ReplicationHistory now = history(state.id());
        if (before == null) {
            now.connected(state.offset());
            now.add(rows.take(state.offset()));
        } else if (before.equals(now)) {
            now.add(rows.take(state.offset()));
        } else {
            changed(rows, before, now, state);
        }
        rows.marked(state, now);
        follow(state, now);
    }

    /** The server of an open connection has another history than at the last mark. */
    private static void changed(
            ServerRows rows, ReplicationHistory before, ReplicationHistory now, ReplicationState state) {
        String id = rows.state().map(ReplicationState::id).orElse("");
        if (state.continues(id)) {
            // The server was primary until this end, and acknowledged no row after it.
            before.add(rows.take(state.earlierEnd() - 1));
        } else if (hasOnlyNewName(state)) {
            before.replacedBy(now, state.offset());
            now.add(rows.take(state.offset()));
        } else {
            before.add(rows.take(MarkedRows.NO_MARK));
        }
        before.disconnected(false);
        now.connected(state.offset());
    }

    /**
     * Whether the process has begun a new history of the same data, if it is the same process: a primary without replicas
     * does this for its first replica. After a time as a replica it would have an earlier history.
     */
    private static boolean hasOnlyNewName(ReplicationState state) {
        return state.primary() && state.earlierId().isEmpty();
    }

    /** Settles the history that {@code now} continues. */
    private void follow(ReplicationState state, ReplicationHistory now) {
        ReplicationHistory earlier = state.earlierId().map(histories::get).orElse(null);
        if (earlier != null && !earlier.equals(now)) {
            earlier.continuedBy(now, state.earlierEnd());
        }
    }

    /**
     * Called when a connection is closed, after its last outcome.
     *
     * @param lost whether the connection was lost
     */
    void closed(ServerRows rows, boolean lost) {
        if (!rows.close()) {
            return;
        }
        ReplicationHistory history = rows.history();
        MarkedRows rest = rows.take(MarkedRows.NO_MARK);
        if (history == null && rest.isEmpty()) {
            return;
        }
        if (history == null) {
            history = history(UNKNOWN + rows.server());
            history.connected(MarkedRows.NO_MARK);
        }
        history.add(rest);
        history.disconnected(lost);
    }

    /**
     * Called after the connections were replaced.
     *
     * @param newRunId identity of the process of the only server; empty if it is unknown, or for a cluster
     * @param alive whether the earlier connection worked, and its server had not said that it had lost its role
     * @return false if the new connection says nothing about the earlier rows
     */
    boolean reconnected(Optional<String> newRunId, boolean alive) {
        if (servers == WatchedServers.CLUSTER) {
            takeBackLostWithoutState();
            return true;
        }
        ServerRows rows = last;
        boolean isReplica =
                rows != null && rows.state().filter(state -> !state.primary()).isPresent();
        boolean isSilent = rows != null && rows.state().isEmpty() && newRunId.isEmpty() && !rows.refusesMarks();
        if (rows == null || isReplica || isSilent) {
            return false;
        }
        settle(rows.state(), rows.history(), newRunId, alive);
        return true;
    }

    /** Whether rows depend on a server that has reported its state, and to which no connection is open. */
    boolean isUnsettled() {
        return histories.entrySet().stream()
                .anyMatch(entry ->
                        !entry.getKey().startsWith(UNKNOWN) && entry.getValue().isUnsettled());
    }

    /** Whether it remained unknown which rows the present servers have. Known after {@link #ended}. */
    boolean isUncertain() {
        return isUncertain;
    }

    /**
     * Called when all rows have their outcomes, and the connections are closed. If a server was lost after its last reply,
     * asks what the present servers have. Blocks until they reply; if a replica may take the place of the lost server, as long
     * as the load is patient.
     *
     * @param wasUnsettled the result of {@link #isUnsettled} before the connections were closed
     */
    void ended(boolean wasUnsettled, RedisClient client, Recovery recovery) {
        if (wasUnsettled || histories.values().stream().anyMatch(ReplicationHistory::isLost)) {
            isUncertain = !recovery.isPossible() || !settle(client, recovery);
        }
    }

    /** Returns false if the servers do not reply. */
    private boolean settle(RedisClient client, Recovery recovery) {
        boolean waits = servers == WatchedServers.CLUSTER || servers == WatchedServers.SENTINELS;
        Trouble lost = recovery.lost(new Outcome.Lost(true, "it has acknowledged all its rows"));
        Optional<List<ReplicationState>> states = ServerFacts.replication(client);
        while (states.isEmpty() && waits && recovery.await(lost)) {
            states = ServerFacts.replication(client);
        }
        recovery.acknowledged();
        if (states.isEmpty()) {
            recovery.notSettled();
            return false;
        }
        Optional<String> newRunId = ServerFacts.soon(client, "server").flatMap(ServerFacts::runId);
        settle(states.get(), newRunId);
        recovery.connected(newRunId);
        return true;
    }

    /**
     * Settles the histories of all lost servers.
     *
     * @param states the states of all servers that report it
     * @param newRunId identity of the process of the only server; empty if it is unknown, or for a cluster
     */
    void settle(List<ReplicationState> states, Optional<String> newRunId) {
        for (ReplicationState state : states) {
            follow(state, history(state.id()));
        }
        if (servers == WatchedServers.CLUSTER) {
            List<ReplicationHistory> present =
                    states.stream().map(state -> history(state.id())).toList();
            takeBackLostWithoutState();
            histories.forEach((key, history) -> {
                if (!key.startsWith(UNKNOWN) && history.isUnsettled() && !present.contains(history)) {
                    history.takeAllBack();
                }
            });
        } else if (states.stream().allMatch(ReplicationState::primary)) {
            Optional<ReplicationState> state = states.stream().findFirst();
            settle(state, state.map(known -> history(known.id())).orElse(null), newRunId, false);
        }
    }

    private void takeBackLostWithoutState() {
        histories.forEach((key, history) -> {
            if (key.startsWith(UNKNOWN) && history.isLost()) {
                history.takeAllBack();
            }
        });
    }

    /** Settles all histories, because the only server has the state {@code state}. */
    private void settle(
            Optional<ReplicationState> state,
            @Nullable ReplicationHistory now,
            Optional<String> newRunId,
            boolean alive) {
        boolean unknown = runId.isEmpty() && newRunId.isEmpty();
        boolean same = unknown ? alive : runId.equals(newRunId);
        boolean kept = (same || servers == WatchedServers.ONE_THAT_SAVES)
                && state.map(FailoverWatch::hasOnlyNewName).orElse(true);
        for (ReplicationHistory history : histories.values()) {
            if (!history.isUnsettled() || history.equals(now)) {
                continue;
            }
            if (!kept) {
                history.takeAllBack();
            } else if (now != null) {
                history.replacedBy(now, state.orElseThrow().offset());
            }
        }
        runId = newRunId;
    }
}
