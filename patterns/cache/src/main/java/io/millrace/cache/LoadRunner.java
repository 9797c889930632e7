// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs each load on a separate virtual thread. The thread loads the value and ends the load. If a multi-get started the
 * load, the thread passes the entry to the multi-get. Otherwise the thread writes the entry. The separate thread has
 * two purposes: a caller waits no longer than its deadline, and an interrupted caller does not abort a load that other
 * callers wait for. Thread-safe.
 */
final class LoadRunner<V> {

    /**
     * The cooldown after a background load that wrote no entry. During this time no other background load of the key
     * starts, and the cache serves the old value.
     */
    private static final long COOLDOWN_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final InFlightLoads<V> inFlightLoads;
    private final LoadStrategy<V> strategy;
    private final LoadedEntryWriter<V> writer;
    private final LoadAdmission admission;

    LoadRunner(
            InFlightLoads<V> inFlightLoads,
            LoadStrategy<V> strategy,
            LoadedEntryWriter<V> writer,
            LoadAdmission admission) {
        this.inFlightLoads = inFlightLoads;
        this.strategy = strategy;
        this.writer = writer;
        this.admission = admission;
    }

    /** Says whether the loaded entry has been written to Redis. */
    private enum EntryState {
        NOT_WRITTEN,
        WRITTEN,
        /** The multi-get writes the entry and ends the load. */
        HANDED_OVER
    }

    /**
     * Starts a load that a caller waits for. If {@code writeBatch} is not null, the batch collects the loaded entry.
     */
    void start(InFlightLoads.JoinedLoad<V> joined, @Nullable WriteBatch<V> writeBatch) {
        start(new LoadTask<>(joined.load(), joined.readsFirst(), writeBatch));
    }

    /** Starts a background load, unless the key has a load in flight or no permit is free. */
    void refresh(LookupRequest<V> lookupRequest) {
        if (inFlightLoads.isInFlight(lookupRequest.key()) || !admission.tryBeginRefresh()) {
            return;
        }
        Optional<Load<V>> load = inFlightLoads.addBackground(lookupRequest);
        if (load.isPresent()) {
            start(new LoadTask<>(load.get(), true, null));
        } else {
            admission.endRefresh();
        }
    }

    private void start(LoadTask<V> task) {
        Thread.ofVirtual().name("millrace-cache-load").start(() -> run(task));
    }

    private void run(LoadTask<V> task) {
        Load<V> load = task.load();
        EntryState state = EntryState.NOT_WRITTEN;
        try {
            load.begin();
            Optional<LoadedEntry<V>> loaded = strategy.load(task);
            if (loaded.isPresent()) {
                state = write(task, loaded.get());
            }
        } catch (InterruptedException | LoadInterruptedException e) {
            load.complete(new LoadOutcome.Abandoned<>("a load that was interrupted"));
        } catch (Throwable e) { // without an outcome, the callers would wait until their deadlines
            load.complete(new LoadOutcome.Failed<>(e, 0, false));
        } finally {
            if (load.background) {
                endRefresh(load, state);
            }
            if (state != EntryState.HANDED_OVER) {
                task.leaveWriteBack();
                inFlightLoads.remove(load);
            }
        }
    }

    private EntryState write(LoadTask<V> task, LoadedEntry<V> loadedEntry) {
        if (task.handOver(loadedEntry)) {
            return EntryState.HANDED_OVER;
        }
        return writer.write(loadedEntry) ? EntryState.WRITTEN : EntryState.NOT_WRITTEN;
    }

    /**
     * Releases the permit. A background load that wrote no entry stays registered for {@link #COOLDOWN_NANOS}, and so
     * blocks further background loads of the key.
     */
    private void endRefresh(Load<V> load, EntryState state) {
        admission.endRefresh();
        if (state == EntryState.NOT_WRITTEN && !load.wasCached()) {
            load.beginCooldown();
            try {
                inFlightLoads.awaitClosed(COOLDOWN_NANOS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
