// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.BulkOptions;
import io.millrace.client.RedisClient;
import io.millrace.load.source.Row;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The connections of a load. All rows of a key use the same connection, so they are written in the order in which they
 * were read. Confined to the loading thread, except {@link #totals} and {@link #abort}.
 */
final class LoadConnections implements AutoCloseable {

    private final ArrayDeque<Row> freeRows = new ArrayDeque<>();
    private final List<LoadConnection> lanes = new ArrayList<>();

    LoadConnections(
            RedisClient client, int connections, BulkOptions options, LoadConnection.OutcomeListener onOutcome) {
        this(client, connections, options, onOutcome, () -> null);
    }

    /**
     * Opens the connections.
     *
     * @param writing creates the {@link RowWriter} of one connection; it returns null if the connection does not write
     *     rows
     */
    LoadConnections(
            RedisClient client,
            int connections,
            BulkOptions options,
            LoadConnection.OutcomeListener onOutcome,
            Supplier<@Nullable RowWriter> writing) {
        try {
            int nodes = ClusterServers.count(client);
            for (int i = 0; i < connections; i++) {
                lanes.add(new LoadConnection(client, nodes, options, freeRows, onOutcome, writing.get()));
            }
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /**
     * Returns a row object for the next record. The row object is new, or it was used for an earlier record whose
     * command now has its outcome.
     */
    Row freeRow() {
        Row row = freeRows.poll();
        return row == null ? new Row() : row;
    }

    /** The connection for a key. The key is in the first {@code length} bytes of {@code key}. */
    LoadConnection forKey(byte[] key, int length) {
        return lanes.size() == 1 ? lanes.getFirst() : lanes.get(Math.floorMod(hash(key, length), lanes.size()));
    }

    /**
     * The FNV-1a hash code with a final mix. The mix spreads keys that differ only in their last digit over all
     * connections.
     */
    static int hash(byte[] bytes, int length) {
        int hash = 0x811c9dc5;
        for (int i = 0; i < length; i++) {
            hash = (hash ^ bytes[i]) * 0x01000193;
        }
        return hash ^ (hash >>> 16);
    }

    void finish() {
        lanes.forEach(LoadConnection::finish);
    }

    /**
     * Closes all connections without waiting for replies. The loading thread then receives the outcomes of the lost
     * commands. Any thread may call this method.
     */
    void abort() {
        lanes.forEach(LoadConnection::abort);
    }

    /** Nanoseconds that the loading thread has waited for permits, for the last replies, and for the server. */
    long waitNanos() {
        long sum = 0;
        for (LoadConnection loadConnection : lanes) {
            sum += loadConnection.waitNanos();
        }
        return sum;
    }

    /** The totals of all connections so far. Any thread. */
    ReplaceableWriter.WriterTotals totals() {
        ReplaceableWriter.WriterTotals sum = ReplaceableWriter.WriterTotals.NONE;
        for (LoadConnection loadConnection : lanes) {
            sum = sum.plus(loadConnection.totals());
        }
        return sum;
    }

    /** Bytes that the rows in flight and the free rows occupy. */
    long rowBytes() {
        long free = freeRows.stream().mapToLong(Row::capacity).sum();
        return free + lanes.stream().mapToLong(LoadConnection::rowBytes).sum();
    }

    @Override
    public void close() {
        RuntimeException failure = null;
        for (LoadConnection loadConnection : lanes) {
            try {
                loadConnection.close();
            } catch (RuntimeException e) {
                // A listener threw this exception. The other connections must still release their threads and sockets.
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
