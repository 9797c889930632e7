// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.client.Outcome;
import io.millrace.client.Pipeline;
import io.millrace.client.Result;
import io.millrace.client.command.Command;
import io.millrace.client.exception.RedisException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
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

    /**
     * Writes an entry. Returns whether Redis confirmed the write. Otherwise gives the lease back. The caller must end
     * the load.
     */
    boolean write(LoadedEntry<V> loadedEntry) {
        boolean written = false;
        try {
            written = loadedEntry.load().tryBeginWrite() && entryStore.runWrite(() -> writeOne(loadedEntry));
            return written;
        } finally {
            endLease(loadedEntry, written);
        }
    }

    private boolean writeOne(LoadedEntry<V> loadedEntry) {
        return leases == null
                ? entryStore.write(loadedEntry.load().key(), loadedEntry.encodedEntry())
                : leases.write(lease(loadedEntry), loadedEntry.encodedEntry());
    }

    /** Returns the lease under which the entry was loaded. */
    static HeldLease lease(LoadedEntry<?> loadedEntry) {
        return Objects.requireNonNull(loadedEntry.load().lease(), "an entry was loaded without a claim");
    }

    /**
     * Ends the lease of an entry. A confirmed write has deleted the lease. In all other cases the lease is given back:
     * of a write that was skipped, had no reply or was refused, and of a discarded load. The thread that discarded the
     * load has deleted the lease, but the claim of the load may have reached Redis later and may have taken the lease
     * again.
     */
    private void endLease(LoadedEntry<V> loadedEntry, boolean written) {
        if (leases == null) {
            return;
        }
        if (written) {
            leases.stop(lease(loadedEntry));
        } else {
            leases.giveBack(lease(loadedEntry));
        }
    }

    /**
     * Writes all entries and ends their loads. Stops writing at the first timeout, and still ends all loads, except
     * background loads whose entry is not written: the caller ends these loads after a cooldown.
     */
    void write(List<LoadedEntry<V>> all) {
        boolean redisAnswers = true;
        for (int from = 0; from < all.size(); from += LOADS_AT_ONCE) {
            List<LoadedEntry<V>> batch = all.subList(from, Math.min(all.size(), from + LOADS_AT_ONCE));
            Set<Load<V>> written = new HashSet<>();
            try {
                redisAnswers = redisAnswers && entryStore.runWrite(() -> writeBatch(batch, written));
            } finally {
                for (LoadedEntry<V> loadedEntry : batch) {
                    Load<V> load = loadedEntry.load();
                    endLease(loadedEntry, written.contains(load));
                    if (!load.background || written.contains(load)) {
                        inFlightLoads.remove(load);
                    }
                }
            }
        }
    }

    /**
     * Writes entries in one pipeline, and adds the loads whose write is confirmed to {@code written}. Returns false if
     * a command timed out or was refused.
     */
    private boolean writeBatch(List<LoadedEntry<V>> batch, Set<Load<V>> written) {
        try {
            Pipeline pipeline = entryStore.client().pipeline();
            List<Write<V>> writes = new ArrayList<>(batch.size());
            for (LoadedEntry<V> loadedEntry : batch) {
                if (loadedEntry.load().tryBeginWrite()) {
                    writes.add(new Write<>(loadedEntry.load(), pipeline.add(writing(loadedEntry))));
                }
            }
            List<Result<?>> unused = entryStore.run(pipeline);
            for (Write<V> write : writes) {
                if (isConfirmed(write.result())) {
                    written.add(write.load());
                }
            }
            return writes.stream()
                    .map(write -> write.result().outcome())
                    .noneMatch(outcome -> outcome instanceof Outcome.TimedOut || outcome instanceof Outcome.Refused);
        } catch (RedisException e) {
            entryStore.recordError("write", e);
            return false;
        }
    }

    /** The write of one entry in a pipeline. */
    private record Write<V>(Load<V> load, Result<?> result) {}

    private Command<?> writing(LoadedEntry<V> loadedEntry) {
        String key = loadedEntry.load().key();
        return leases == null
                ? entryStore.setCommand(key, loadedEntry.encodedEntry())
                : leases.writeCommand(lease(loadedEntry), loadedEntry.encodedEntry());
    }

    /** Returns whether Redis confirmed a write, and counts other results. */
    private boolean isConfirmed(Result<?> result) {
        try {
            Object value = result.value();
            boolean refused = leases != null && value.equals(false);
            if (refused) {
                entryStore.recordRefusedWrite();
            } else {
                entryStore.recordWrites(1);
            }
            return !refused;
        } catch (RedisException e) {
            entryStore.recordError("write", e);
            return false;
        }
    }
}
