// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Runs each load on a separate thread, or on the thread of its caller. The thread loads the value and ends the load. If
 * a multi-get started the load, the thread passes the entry to the multi-get. Otherwise the thread writes the entry. A
 * separate thread has two purposes: a caller waits no longer than its deadline, and an interrupted caller does not abort
 * a load that other callers wait for. Thread-safe.
 */
final class LoadRunner<V> {

    private final InFlightLoads<V> inFlightLoads;
    private final LoadStrategy<V> strategy;
    private final LoadedEntryWriter<V> writer;
    private final LoadAdmission admission;
    private final AbandonedLoaders abandonedLoaders;
    private final LoadTiming timing;
    private final LoadThreads threads;

    LoadRunner(
            InFlightLoads<V> inFlightLoads,
            LoadStrategy<V> strategy,
            LoadedEntryWriter<V> writer,
            LoadAdmission admission,
            AbandonedLoaders abandonedLoaders,
            LoadTiming timing,
            LoadThreads threads) {
        this.inFlightLoads = inFlightLoads;
        this.strategy = strategy;
        this.writer = writer;
        this.admission = admission;
        this.abandonedLoaders = abandonedLoaders;
        this.timing = timing;
        this.threads = threads;
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
        start(new LoadTask<>(joined.load(), joined.readsFirst(), writeBatch, timing.limitNanos()));
    }

    /**
     * Runs a load on the current thread, which is the thread of its caller. Blocks until the load has ended and its entry
     * is written.
     *
     * @param limitNanos maximum time for which the load waits for a permit or for another process
     */
    void runOnCaller(Load<V> load, boolean readsFirst, long limitNanos) {
        run(new LoadTask<>(load, readsFirst, null, limitNanos));
    }

    /** Starts a background load, unless {@link #addRefresh} returns none. */
    void refresh(LookupRequest<V> lookupRequest, long nanos) {
        addRefresh(lookupRequest, nanos)
                .ifPresent(load -> start(new LoadTask<>(load, true, null, timing.limitNanos())));
    }

    /**
     * Adds a background load, which the caller must start. Returns empty if the key has a load in flight or no permit is
     * free. A load that has waited for its thread for {@code nanos} is replaced.
     */
    Optional<Load<V>> addRefresh(LookupRequest<V> lookupRequest, long nanos) {
        if (inFlightLoads.isBusy(lookupRequest.key(), nanos) || !admission.mayBeginRefresh()) {
            return Optional.empty();
        }
        return inFlightLoads.addBackground(lookupRequest, new LoaderCall());
    }

    private void start(LoadTask<V> task) {
        threads.startLoad(() -> run(task), failure -> {
            task.load().complete(new LoadOutcome.Failed<>(failure, 0, false));
            end(task, EntryState.NOT_WRITTEN);
        });
    }

    private void run(LoadTask<V> task) {
        Load<V> load = task.load();
        if (!load.begin()) {
            task.leaveWriteBack();
            return;
        }
        if (load.background && !admission.tryBeginRefresh(load.call)) {
            load.complete(LoadOutcome.noPermit());
            load.end();
            inFlightLoads.remove(load);
            return;
        }
        EntryState state = EntryState.NOT_WRITTEN;
        try {
            OptionalInt abandoned = abandonedLoaders.refusing();
            if (abandoned.isPresent()) {
                load.complete(new LoadOutcome.Refused<>(abandoned.getAsInt()));
                return;
            }
            Optional<LoadedEntry<V>> loaded = strategy.load(task);
            if (loaded.isPresent()) {
                state = write(task, loaded.get());
            }
        } catch (InterruptedException | LoadInterruptedException e) {
            load.interrupted(e);
            load.complete(new LoadOutcome.NotLoaded<>("a load that was interrupted"));
        } catch (Throwable e) { // without an outcome, the callers would wait until their deadlines
            load.complete(new LoadOutcome.Failed<>(e, 0, false));
        } finally {
            load.end();
            end(task, state);
        }
    }

    private EntryState write(LoadTask<V> task, LoadedEntry<V> loadedEntry) {
        if (task.handOver(loadedEntry)) {
            return EntryState.HANDED_OVER;
        }
        return writer.write(loadedEntry) ? EntryState.WRITTEN : EntryState.NOT_WRITTEN;
    }

    /** Releases the permit, and removes the load unless a multi-get still writes the entry. */
    private void end(LoadTask<V> task, EntryState state) {
        Load<V> load = task.load();
        admission.end(load);
        if (state == EntryState.HANDED_OVER) {
            return;
        }
        task.leaveWriteBack();
        if (state == EntryState.NOT_WRITTEN && load.needsCooldown()) {
            inFlightLoads.coolDown(List.of(load));
        } else {
            inFlightLoads.remove(load);
        }
    }
}
