// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.load.source.Row;
import io.millrace.load.target.RowMapping;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Sends each row on the connection of its key. */
final class PipelinedSender implements RowSender {

    private final LoadConnections connections;
    private final RowMapping mapping;
    private final Consumer<? super Row> onBegun;

    /** The connection of the row that has begun. */
    private @Nullable LoadConnection current;

    /**
     * @param onBegun receives each row whose arguments have been added to its command
     */
    PipelinedSender(LoadConnections connections, RowMapping mapping, Consumer<? super Row> onBegun) {
        this.connections = connections;
        this.mapping = mapping;
        this.onBegun = onBegun;
    }

    @Override
    public Row freeRow() {
        return connections.freeRow();
    }

    @Override
    public void begin(Row row) {
        LoadConnection connection = connections.forKey(mapping.key(), mapping.keyLength());
        current = connection;
        connection.begin(row);
        onBegun.accept(row);
    }

    @Override
    public void end(Row row) {
        if (current == null) {
            throw new IllegalStateException("no row has begun");
        }
        current.end(row);
    }

    @Override
    public void finish() {
        connections.finish();
    }

    @Override
    public long waitNanos() {
        return connections.waitNanos();
    }

    @Override
    public ReplaceableWriter.WriterTotals totals() {
        return connections.totals();
    }

    @Override
    public void abort() {
        connections.abort();
    }

    @Override
    public void close() {
        connections.close();
    }
}
