// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.load.source.Row;
import java.nio.charset.StandardCharsets;
import java.util.IdentityHashMap;
import java.util.function.Consumer;

/** Sends each row on the connection of its key, after the key is recorded in the new manifest of a job. */
final class RegisteringSender implements RowSender {

    private final LoadConnections connections;
    private final LoadContext context;
    private final byte[] manifest;
    private final Consumer<? super Row> onBegun;
    private final IdentityHashMap<LoadConnection, KeyRegistration> registrations = new IdentityHashMap<>();

    /**
     * @param onBegun receives each row whose arguments have been added to its command
     */
    RegisteringSender(LoadConnections connections, LoadContext context, JobKeys keys, Consumer<? super Row> onBegun) {
        this.connections = connections;
        this.context = context;
        this.manifest = keys.newManifest().getBytes(StandardCharsets.US_ASCII);
        this.onBegun = onBegun;
    }

    @Override
    public Row freeRow() {
        return connections.freeRow();
    }

    /** Does nothing: the command begins when the key of the row is recorded. */
    @Override
    public void begin(Row row) {}

    @Override
    public void end(Row row) {
        LoadConnection connection =
                connections.forKey(context.mapping().key(), context.mapping().keyLength());
        registrations
                .computeIfAbsent(
                        connection, first -> new KeyRegistration(first, context.mapping(), manifest, this::send))
                .send(row);
    }

    private void send(LoadConnection connection, Row row) {
        connection.begin(row);
        onBegun.accept(row);
        connection.end(row);
    }

    @Override
    public void finish() {
        registrations.values().forEach(this::sendHeld);
        connections.finish();
    }

    /** Sends the rows that wait for the registration of their keys. After a stop, these rows are skipped. */
    private void sendHeld(KeyRegistration registration) {
        if (context.cancelSignal().isRaised()) {
            registration.takeHeld().forEach(row -> context.ledger().skipped());
        } else {
            registration.sendHeld();
        }
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
