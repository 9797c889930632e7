// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.client.Outcome;
import io.millrace.client.Pipeline;
import io.millrace.client.Result;
import io.millrace.client.command.Command;
import io.millrace.client.exception.RedisException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Writes loaded entries to Redis. Thread-safe. */
final class LoadedEntryWriter<V> {

    /**
     * Maximum number of entries in one pipeline. A caller that removes a key may have to wait for the end of a
     * pipeline.
     */
    private static final int LOADS_AT_ONCE = 1_000;

    private final InFlightLoads<V> inFlightLoads;
    private final EntryStore<V> entryStore;
    private final @Nullable Leases<V> leases;

    LoadedEntryWriter(InFlightLoads<V> inFlightLoads, EntryStore<V> entryStore, @Nullable Leases<V> leases) {
        this.inFlightLoads = inFlightLoads;
        this.entryStore = entryStore;
        this.leases = leases;
    }

    /** Writes an entry. Returns whether Redis confirmed the write. The caller must end the load. */
    boolean write(LoadedEntry<V> loadedEntry) {
        Load<V> load = loadedEntry.load();
        try {
            if (!load.tryBeginWrite()) {
                release(loadedEntry);
                return false;
            }
            return entryStore.runWrite(() -> writeOne(loadedEntry));
        } finally {
            stopRenewal(loadedEntry);
        }
    }

    private boolean writeOne(LoadedEntry<V> loadedEntry) {
        return leases == null
                ? entryStore.write(loadedEntry.load().key(), loadedEntry.encodedEntry())
                : leases.write(lease(loadedEntry), loadedEntry.encodedEntry());
    }

    private static HeldLease lease(LoadedEntry<?> loadedEntry) {
        return Objects.requireNonNull(loadedEntry.load().lease(), "an entry was loaded without a claim");
    }

    private void stopRenewal(LoadedEntry<V> loadedEntry) {
        if (leases != null) {
            leases.stop(lease(loadedEntry));
        }
    }

    /** Writes all entries and ends their loads. Stops writing at the first timeout, and still ends all loads. */
    void write(List<LoadedEntry<V>> all) {
        boolean redisAnswers = true;
        for (int from = 0; from < all.size(); from += LOADS_AT_ONCE) {
            List<LoadedEntry<V>> batch = all.subList(from, Math.min(all.size(), from + LOADS_AT_ONCE));
            try {
                redisAnswers = redisAnswers && entryStore.runWrite(() -> writeBatch(batch));
            } finally {
                batch.forEach(this::ended);
            }
        }
    }

    /** Writes entries in one pipeline. Returns false if a command timed out or was refused. */
    private boolean writeBatch(List<LoadedEntry<V>> batch) {
        try {
            Pipeline pipeline = entryStore.client().pipeline();
            List<Result<?>> results = new ArrayList<>(batch.size());
            for (LoadedEntry<V> loadedEntry : batch) {
                if (loadedEntry.load().tryBeginWrite()) {
                    results.add(pipeline.add(writing(loadedEntry)));
                } else {
                    release(loadedEntry);
                }
            }
            List<Result<?>> unused = entryStore.run(pipeline);
            results.forEach(this::recordFailure);
            return results.stream()
                    .map(Result::outcome)
                    .noneMatch(outcome -> outcome instanceof Outcome.TimedOut || outcome instanceof Outcome.Refused);
        } catch (RedisException e) {
            entryStore.recordError("write", e);
            return false;
        }
    }

    private Command<?> writing(LoadedEntry<V> loadedEntry) {
        String key = loadedEntry.load().key();
        return leases == null
                ? entryStore.setCommand(key, loadedEntry.encodedEntry())
                : leases.writeCommand(lease(loadedEntry), loadedEntry.encodedEntry());
    }

    /**
     * Releases the lease of a discarded load. The thread that discarded the load has already deleted the lease. But the
     * claim of the load may have reached Redis after this deletion, and may have taken the lease again.
     */
    private void release(LoadedEntry<V> loadedEntry) {
        if (leases != null) {
            leases.release(lease(loadedEntry));
        }
    }

    private void recordFailure(Result<?> result) {
        try {
            Object value = result.value();
            if (leases != null && value.equals(false)) {
                entryStore.recordRefusedWrite();
            }
        } catch (RedisException e) {
            entryStore.recordError("write", e);
        }
    }

    private void ended(LoadedEntry<V> loadedEntry) {
        stopRenewal(loadedEntry);
        inFlightLoads.remove(loadedEntry.load());
    }
}
