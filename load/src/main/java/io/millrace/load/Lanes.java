// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.BulkOptions;
import io.millrace.client.BulkWriter.Traffic;
import io.millrace.client.CommandCounts;
import io.millrace.client.FusionCounts;
import io.millrace.client.RedisClient;
import io.millrace.load.source.Row;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The connections of a load. A key always takes the same one, so that rows of one key are written in the order in which they
 * were read. Belongs to the loading thread; {@link #inFlight} and {@link #bytesSent} may be asked by any.
 */
final class Lanes implements AutoCloseable {

    private final ArrayDeque<Row> freeRows = new ArrayDeque<>();
    private final List<Lane> lanes = new ArrayList<>();

    Lanes(RedisClient client, int connections, BulkOptions options, Lane.OnOutcome onOutcome) {
        this(client, connections, options, onOutcome, () -> null);
    }

    /**
     * The same for rows that are written.
     *
     * @param writing makes that of one lane; null if it does not write
     */
    Lanes(
            RedisClient client,
            int connections,
            BulkOptions options,
            Lane.OnOutcome onOutcome,
            Supplier<@Nullable RowWriting> writing) {
        try {
            for (int i = 0; i < connections; i++) {
                lanes.add(new Lane(client, options, freeRows, onOutcome, writing.get()));
            }
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** A row to read into: one whose command has ended, or a new one. */
    Row freeRow() {
        Row row = freeRows.poll();
        return row == null ? new Row() : row;
    }

    /** The lane of the key that is the first {@code length} bytes. */
    Lane of(byte[] key, int length) {
        return lanes.size() == 1 ? lanes.getFirst() : lanes.get(Math.floorMod(hash(key, length), lanes.size()));
    }

    /** FNV-1a, mixed so that keys which differ in their last digit alone spread too. */
    static int hash(byte[] bytes, int length) {
        int hash = 0x811c9dc5;
        for (int i = 0; i < length; i++) {
            hash = (hash ^ bytes[i]) * 0x01000193;
        }
        return hash ^ (hash >>> 16);
    }

    void finish() {
        lanes.forEach(Lane::finish);
    }

    /** Ends all connections at once; the loading thread then learns what became lost. Any thread. */
    void abort() {
        lanes.forEach(lane -> lane.writer().abort());
    }

    /** Time that the loading thread has waited for room. */
    long windowNanos() {
        long sum = 0;
        for (Lane lane : lanes) {
            sum += lane.writer().traffic().windowNanos();
        }
        return sum;
    }

    FusionCounts fusion() {
        return lanes.stream().map(lane -> lane.writer().fusion()).reduce(FusionCounts.NONE, FusionCounts::plus);
    }

    CommandCounts counts() {
        CommandCounts sum = CommandCounts.NONE;
        for (Lane lane : lanes) {
            sum = sum.plus(lane.writer().counts());
        }
        return sum;
    }

    Traffic traffic() {
        Traffic sum = new Traffic(0, 0, 0, 0);
        for (Lane lane : lanes) {
            Traffic one = lane.writer().traffic();
            sum = new Traffic(
                    sum.bytesSent() + one.bytesSent(),
                    sum.peakInFlight() + one.peakInFlight(),
                    sum.windowNanos() + one.windowNanos(),
                    sum.socketNanos() + one.socketNanos());
        }
        return sum;
    }

    /** How many bytes the rows that are in flight or free take up. */
    long heldBytes() {
        long free = freeRows.stream().mapToLong(Row::capacity).sum();
        return free + lanes.stream().mapToLong(Lane::keptBytes).sum();
    }

    long inFlight() {
        return counts().pending();
    }

    long bytesSent() {
        return traffic().bytesSent();
    }

    @Override
    public void close() {
        RuntimeException failure = null;
        for (Lane lane : lanes) {
            try {
                lane.close();
            } catch (RuntimeException e) {
                // A listener's: the other lanes have threads and sockets to give back too.
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
