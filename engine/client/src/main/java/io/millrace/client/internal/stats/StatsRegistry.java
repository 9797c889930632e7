// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.stats;

import io.millrace.client.ClientStats;
import io.millrace.client.CommandCounts;
import io.millrace.client.ConnectionStats;
import io.millrace.client.FusionCounts;
import io.millrace.client.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The stats of all open connections of a client, and the totals of the closed connections. Thread-safe, without locks.
 */
public final class StatsRegistry {

    /** A connection that has stats. */
    public interface StatsSource {

        ConnectionStats stats();
    }

    private record Totals(CommandCounts counts, long lateReplies, long reconnections, FusionCounts fusion) {

        Totals plus(ConnectionStats stats) {
            return new Totals(
                    counts.plus(stats.counts()),
                    lateReplies + stats.lateReplies(),
                    reconnections + stats.reconnections(),
                    fusion.plus(stats.fusion()));
        }
    }

    /**
     * The open connections, and the totals of the closed connections. Both are in one object that is replaced
     * atomically. So each connection is counted in exactly one of the two parts.
     */
    private record Parts(List<StatsSource> open, Totals closed) {}

    private final AtomicReference<Parts> parts =
            new AtomicReference<>(new Parts(List.of(), new Totals(CommandCounts.NONE, 0, 0, FusionCounts.NONE)));

    private final StatsCounter withoutConnection = new StatsCounter();

    /** Counts a command that ended before it was submitted to a connection. */
    public void countUnsubmitted(Outcome outcome) {
        withoutConnection.countSubmitted();
        withoutConnection.countEnded(outcome);
    }

    /** Counts the commands that end before they are submitted to a connection. */
    public StatsCounter withoutConnection() {
        return withoutConnection;
    }

    public void add(StatsSource connection) {
        parts.updateAndGet(now -> {
            List<StatsSource> open = new ArrayList<>(now.open);
            open.add(connection);
            return new Parts(open, now.closed);
        });
    }

    /**
     * Moves {@code connection} to the closed connections: adds its stats to the totals and drops the reference to it.
     * The stats of {@code connection} must not change any more.
     */
    public void retire(StatsSource connection) {
        ConnectionStats last = connection.stats();
        parts.updateAndGet(now -> {
            List<StatsSource> open = new ArrayList<>(now.open);
            return open.remove(connection) ? new Parts(open, now.closed.plus(last)) : now;
        });
    }

    public ClientStats snapshot(long droppedPushes, @Nullable ListenerCalls listener) {
        Parts now = parts.get();
        List<ConnectionStats> connections =
                now.open.stream().map(StatsSource::stats).toList();
        Totals totals = now.closed;
        for (ConnectionStats stats : connections) {
            totals = totals.plus(stats);
        }
        CommandCounts counts = totals.counts.plus(withoutConnection.counts());
        return new ClientStats(
                counts,
                totals.lateReplies,
                totals.reconnections,
                totals.fusion,
                droppedPushes,
                listener == null ? 0 : listener.failures(),
                connections);
    }
}
