// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.load.source.Row;
import io.millrace.load.target.RowMapping;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * Records the keys of the rows of one connection in the new manifest of a job, before the rows are sent. Rows with new
 * keys are held back, until one command records the keys of {@value #MAX_HELD} rows:
 *
 * <pre>
 *   SADD manifest k1 … k64 | row k1 | … | row k64 | SADD manifest k65 … | row k65 | …
 * </pre>
 *
 * <p>The server executes the commands of a connection in their order, so a key is recorded before its row is written. If
 * the keys cannot be recorded, the load stops. Confined to the loading thread.
 */
final class KeyRegistration {

    private static final int MAX_HELD = 64;

    /** Rows are held back until they occupy this number of bytes. */
    private static final long MAX_HELD_BYTES = 1 << 20;

    /** Maximum number of recorded keys that are remembered. A key that is forgotten is recorded a second time. */
    private static final int MAX_KNOWN = 4_096;

    private final LoadConnection connection;
    private final RowMapping mapping;
    private final byte[] manifest;
    private final BiConsumer<LoadConnection, Row> sender;
    private final Set<ByteBuffer> known = new HashSet<>();
    private final List<byte[]> newKeys = new ArrayList<>();
    private final List<Row> held = new ArrayList<>();
    private long heldBytes;

    /**
     * Creates the registration of one connection.
     *
     * @param sender sends a row that the mapping has prepared
     */
    KeyRegistration(
            LoadConnection connection, RowMapping mapping, byte[] manifest, BiConsumer<LoadConnection, Row> sender) {
        this.connection = connection;
        this.mapping = mapping;
        this.manifest = manifest;
        this.sender = sender;
    }

    /** Sends {@code row}, which the mapping has prepared, or holds it back. The caller must not use the row afterwards. */
    void send(Row row) {
        if (!known.contains(ByteBuffer.wrap(mapping.key(), 0, mapping.keyLength()))) {
            remember(Arrays.copyOf(mapping.key(), mapping.keyLength()));
        }
        if (newKeys.isEmpty()) {
            sender.accept(connection, row);
            return;
        }
        held.add(row);
        heldBytes += row.capacity();
        if (held.size() >= MAX_HELD || heldBytes >= MAX_HELD_BYTES) {
            sendHeld();
        }
    }

    private void remember(byte[] key) {
        if (known.size() == MAX_KNOWN) {
            known.clear();
            newKeys.forEach(waiting -> known.add(ByteBuffer.wrap(waiting)));
        }
        known.add(ByteBuffer.wrap(key));
        newKeys.add(key);
    }

    /** Records the keys of the rows that are held back, and sends the rows. */
    void sendHeld() {
        if (held.isEmpty()) {
            return;
        }
        connection.record(manifest, newKeys);
        newKeys.clear();
        for (Row row : held) {
            var unused = mapping.prepare(row);
            sender.accept(connection, row);
        }
        held.clear();
        heldBytes = 0;
    }

    /** Returns the rows that are held back, and forgets them. */
    List<Row> takeHeld() {
        List<Row> rows = List.copyOf(held);
        held.clear();
        newKeys.clear();
        heldBytes = 0;
        return rows;
    }
}
