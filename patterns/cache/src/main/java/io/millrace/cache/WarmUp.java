// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.client.BulkOptions;
import io.millrace.client.BulkWriter;
import io.millrace.client.Outcome;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.command.Strings;
import java.util.Iterator;
import java.util.Map;

/** One warm-up over a separate connection. Not thread-safe. */
final class WarmUp<V> {

    private final EntryStore<V> entryStore;
    private final EntryEncoder<V> entryEncoder;

    private long read;
    private long written;
    private long rejected;
    private long unconfirmed;
    private long notSent;
    private String firstFailure = "";

    WarmUp(EntryStore<V> entryStore, EntryEncoder<V> entryEncoder) {
        this.entryStore = entryStore;
        this.entryEncoder = entryEncoder;
    }

    /** Writes all entries. Stops reading the iterator when the connection is lost. */
    WarmUpStats run(Iterator<? extends Map.Entry<String, ? extends V>> entries) {
        try (BulkWriter writer = entryStore.client().bulkWriter(BulkOptions.DEFAULT, this::ended)) {
            while (writer.isOpen() && entries.hasNext()) {
                Map.Entry<String, ? extends V> entry = entries.next();
                read++;
                write(writer, entry.getKey(), entry.getValue());
            }
            writer.finish();
        }
        entryStore.recordWrites(written);
        return new WarmUpStats(read, written, rejected, unconfirmed, notSent, firstFailure);
    }

    private void write(BulkWriter writer, String key, V value) {
        EncodedEntry encodedEntry;
        try {
            encodedEntry = entryEncoder.value(key, value);
        } catch (RuntimeException e) { // thrown by the codec or the expiry policy
            rejected++;
            failed("the value could not be encoded: " + e.getClass().getName());
            return;
        }
        writer.begin(Strings.SET)
                .arg(entryStore.redisKey(key))
                .arg(encodedEntry.bytes())
                .arg("PX")
                .arg(encodedEntry.expiryMillis())
                .end(read);
    }

    private void ended(long tag, CommandSpec<?> command, Outcome outcome) {
        switch (outcome) {
            case Outcome.Ok ok -> written++;
            case Outcome.Failed failed -> {
                rejected++;
                failed(failed.error().message());
            }
            case Outcome.TimedOut timedOut -> {
                unconfirmed++;
                failed("no reply arrived in time");
            }
            case Outcome.Refused refused -> {
                notSent++;
                failed("the command was not sent: no permit was free in time");
            }
            case Outcome.Lost(boolean maybeExecuted, String cause) -> {
                if (maybeExecuted) {
                    unconfirmed++;
                } else {
                    notSent++;
                }
                failed(cause);
            }
        }
    }

    private void failed(String reason) {
        if (firstFailure.isEmpty()) {
            firstFailure = reason;
        }
    }
}
