// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.BulkWriter;
import io.millrace.client.BulkWriter.Traffic;
import io.millrace.client.CommandCounts;
import io.millrace.client.FusionCounts;
import io.millrace.client.NodeCounts;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The writer of one connection of a load. It can be replaced by a new writer, after a lost connection or a temporary
 * error. The totals contain all writers.
 *
 * <p>Confined to the loading thread, except {@link #totals} and {@link #abort}.
 */
final class ReplaceableWriter implements AutoCloseable {

    /** The totals of one or more writers. */
    record WriterTotals(CommandCounts commands, FusionCounts fusion, Traffic traffic, List<NodeCounts> nodes) {

        static final WriterTotals NONE =
                new WriterTotals(CommandCounts.NONE, FusionCounts.NONE, new Traffic(0, 0, 0, 0), List.of());

        private static WriterTotals of(BulkWriter writer) {
            return new WriterTotals(writer.counts(), writer.fusion(), writer.traffic(), writer.nodes());
        }

        /** The sum with {@code other}, a connection that was open at the same time. */
        WriterTotals plus(WriterTotals other) {
            return sum(other, traffic.peakInFlight() + other.traffic.peakInFlight());
        }

        /** The sum with {@code later}, a writer that replaced this one. */
        private WriterTotals then(WriterTotals later) {
            return sum(later, Math.max(traffic.peakInFlight(), later.traffic.peakInFlight()));
        }

        private WriterTotals sum(WriterTotals other, long peakInFlight) {
            return new WriterTotals(
                    commands.plus(other.commands),
                    fusion.plus(other.fusion),
                    new Traffic(
                            traffic.bytesSent() + other.traffic.bytesSent(),
                            peakInFlight,
                            traffic.windowNanos() + other.traffic.windowNanos(),
                            traffic.socketNanos() + other.traffic.socketNanos()),
                    NodeCounts.sum(Stream.of(nodes, other.nodes)
                            .flatMap(List::stream)
                            .toList()));
        }
    }

    private record Current(BulkWriter writer, WriterTotals earlier) {}

    private final Supplier<BulkWriter> opener;

    /** Written by the loading thread. */
    private volatile Current current;

    /** Set by any thread; never reset. */
    private volatile boolean aborted;

    /** Whether the current writer is closed, because no new writer could be opened yet. */
    private boolean closed;

    /**
     * Opens the first writer.
     *
     * @param opener opens a writer; throws {@link io.millrace.client.exception.RedisException} if this is not possible
     */
    ReplaceableWriter(Supplier<BulkWriter> opener) {
        this.opener = opener;
        this.current = new Current(opener.get(), WriterTotals.NONE);
    }

    BulkWriter writer() {
        return current.writer();
    }

    /**
     * Closes the writer and opens a new one. The host name is resolved again. Blocks for at most the connect timeout.
     *
     * @throws io.millrace.client.exception.RedisException if no writer can be opened. The next call tries again
     */
    void replace() {
        Current old = current;
        closeOnce(old);
        BulkWriter next = opener.get();
        current = new Current(next, old.earlier().then(WriterTotals.of(old.writer())));
        closed = false;
        if (aborted) {
            next.abort();
        }
    }

    /** The totals of all writers so far. Any thread. */
    WriterTotals totals() {
        Current now = current;
        return now.earlier().then(WriterTotals.of(now.writer()));
    }

    /** Time that the loading thread has waited for permits of all writers. Cheaper than {@link #totals}. */
    long windowNanos() {
        Current now = current;
        return now.earlier().traffic().windowNanos() + now.writer().traffic().windowNanos();
    }

    /** Closes the connection without waiting for replies. Any thread. */
    void abort() {
        aborted = true;
        current.writer().abort();
    }

    @Override
    public void close() {
        closeOnce(current);
    }

    private void closeOnce(Current old) {
        if (!closed) {
            closed = true;
            old.writer().close();
        }
    }
}
