// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.client.BulkOptions;
import io.millrace.client.BulkWriter;
import io.millrace.client.CommandSpec;
import io.millrace.client.Outcome;
import io.millrace.client.Strings;
import java.util.Iterator;
import java.util.Map;

/** One warm-up, over a connection of its own. One thread. */
final class WarmUp<V> {

    private final Store<V> store;
    private final Drafts<V> drafts;

    private long read;
    private long written;
    private long rejected;
    private long unconfirmed;
    private long notSent;
    private String firstFailure = "";

    WarmUp(Store<V> store, Drafts<V> drafts) {
        this.store = store;
        this.drafts = drafts;
    }

    /** Writes all entries; stops reading them when the connection is lost. */
    WarmUpAccount run(Iterator<? extends Map.Entry<String, ? extends V>> entries) {
        try (BulkWriter writer = store.client().bulkWriter(BulkOptions.DEFAULT, this::ended)) {
            while (writer.isOpen() && entries.hasNext()) {
                Map.Entry<String, ? extends V> entry = entries.next();
                read++;
                write(writer, entry.getKey(), entry.getValue());
            }
            writer.finish();
        }
        return new WarmUpAccount(read, written, rejected, unconfirmed, notSent, firstFailure);
    }

    private void write(BulkWriter writer, String key, V value) {
        Draft draft;
        try {
            draft = drafts.value(key, value);
        } catch (RuntimeException e) { // the codec's, or the lifetime's
            rejected++;
            failed("not encoded: " + e.getClass().getName());
            return;
        }
        writer.begin(Strings.SET)
                .arg(store.redisKey(key))
                .arg(draft.bytes())
                .arg("PX")
                .arg(draft.millis())
                .end(read);
    }

    private void ended(long tag, CommandSpec<?> command, Outcome outcome) {
        switch (outcome) {
            case Outcome.Ok ok -> written++;
            case Outcome.Failed failed -> {
                rejected++;
                failed(failed.error().message());
            }
            case Outcome.TimedOut late -> {
                unconfirmed++;
                failed("no reply in time");
            }
            case Outcome.Refused refused -> {
                notSent++;
                failed("no room in time");
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

    private void failed(String why) {
        if (firstFailure.isEmpty()) {
            firstFailure = why;
        }
    }
}
