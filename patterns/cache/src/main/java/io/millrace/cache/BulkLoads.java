// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.cache.InFlightLoads.JoinedLoad;
import io.millrace.cache.Leases.LeaseSnapshot;
import io.millrace.cache.Leases.LeaseState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Runs bulk loads: one loader call, one permit and one thread for the missing keys of a multi-get, and in the background
 * for the keys that must be refreshed. Thread-safe.
 *
 * <p>DESIGN. Each key has a load in the map of loads in flight, so that other callers of the key join the bulk load. If
 * another process holds the lease of a key, the bulk load does not wait for this key, because the other keys would wait,
 * too. The load of the key ends without a loader call. Its callers then start a separate load, which waits for the lease
 * and would call the bulk loader for this key alone.
 */
final class BulkLoads<V> {

    private final InFlightLoads<V> inFlightLoads;
    private final EntryStore<V> entryStore;
    private final @Nullable Leases<V> leases;
    private final LoaderInvoker<V> invoker;
    private final LoadedEntryWriter<V> writer;
    private final LoadAdmission admission;
    private final AbandonedLoaders abandonedLoaders;
    private final LoadTiming timing;
    private final LoadThreads threads;

    BulkLoads(
            InFlightLoads<V> inFlightLoads,
            EntryStore<V> entryStore,
            @Nullable Leases<V> leases,
            LoaderInvoker<V> invoker,
            LoadedEntryWriter<V> writer,
            LoadAdmission admission,
            AbandonedLoaders abandonedLoaders,
            LoadTiming timing,
            LoadThreads threads) {
        this.inFlightLoads = inFlightLoads;
        this.entryStore = entryStore;
        this.leases = leases;
        this.invoker = invoker;
        this.writer = writer;
        this.admission = admission;
        this.abandonedLoaders = abandonedLoaders;
        this.timing = timing;
        this.threads = threads;
    }

    /** The claim of one key. */
    private record ClaimedLoad<V>(Load<V> load, HeldLease lease) {}

    /** Starts one load of all keys. The loads of {@code joined} are new and share one {@link LoaderCall}. */
    void start(List<JoinedLoad<V>> joined, BulkLoader<? extends V> loader) {
        List<Load<V>> loads = joined.stream().map(JoinedLoad::load).toList();
        threads.startLoad(() -> run(joined, loader), failure -> {
            completeAll(loads, new LoadOutcome.Failed<>(failure, 0, false));
            loads.forEach(inFlightLoads::remove);
        });
    }

    /**
     * Starts one background load of all keys that have no load in flight, unless no permit is free. A load that has
     * waited for its thread for a whole deadline is replaced.
     */
    void refresh(List<LookupRequest<V>> due, BulkLoader<? extends V> loader) {
        if (!admission.mayBeginRefresh()) {
            return;
        }
        LoaderCall call = new LoaderCall();
        List<JoinedLoad<V>> joined = new ArrayList<>(due.size());
        for (LookupRequest<V> request : due) {
            if (!inFlightLoads.isBusy(request.key(), timing.limitNanos())) {
                inFlightLoads
                        .addBackground(request, call)
                        .ifPresent(load -> joined.add(new JoinedLoad<>(load, true, true)));
            }
        }
        if (!joined.isEmpty()) {
            start(joined, loader);
        }
    }

    private void run(List<JoinedLoad<V>> all, BulkLoader<? extends V> loader) {
        // Callers may have abandoned some loads, because this thread begins late.
        List<JoinedLoad<V>> joined =
                all.stream().filter(one -> one.load().begin()).toList();
        if (joined.isEmpty()) {
            return;
        }
        List<Load<V>> loads = joined.stream().map(JoinedLoad::load).toList();
        try {
            OptionalInt abandoned = abandonedLoaders.refusing();
            if (abandoned.isPresent()) {
                completeAll(loads, new LoadOutcome.Refused<>(abandoned.getAsInt()));
            } else if (isBackground(loads) && !admission.tryBeginRefresh(loads.getFirst().call)) {
                completeAll(loads, LoadOutcome.noPermit());
            } else {
                load(joined, loader);
            }
        } catch (InterruptedException | LoadInterruptedException e) {
            completeAll(loads, new LoadOutcome.NotLoaded<>("a load that was interrupted"));
        } catch (Throwable e) { // without an outcome, the callers would wait until their deadlines
            completeAll(loads, new LoadOutcome.Failed<>(e, 0, false));
        } finally {
            loads.forEach(Load::end);
            loads.forEach(admission::end);
            remove(loads);
        }
    }

    private static boolean isBackground(List<? extends Load<?>> loads) {
        return loads.getFirst().background;
    }

    private void remove(List<Load<V>> loads) {
        List<Load<V>> cooling = loads.stream().filter(Load::needsCooldown).toList();
        if (!cooling.isEmpty()) {
            inFlightLoads.coolDown(cooling);
        }
        Set<Load<V>> kept = new HashSet<>(cooling);
        loads.stream().filter(load -> !kept.contains(load)).forEach(inFlightLoads::remove);
    }

    private static <V> void completeAll(List<Load<V>> loads, LoadOutcome<V> outcome) {
        loads.forEach(load -> load.complete(outcome));
    }

    private void load(List<JoinedLoad<V>> joined, BulkLoader<? extends V> loader) throws InterruptedException {
        List<Load<V>> missing = readAgain(joined);
        if (missing.isEmpty()) {
            return;
        }
        if (!admission.tryAcquire(missing.getFirst(), timing.limitNanos())) {
            completeAll(missing, LoadOutcome.noPermit());
            return;
        }
        List<LoadedEntry<V>> loaded;
        try {
            loaded = leases == null ? invoker.invokeAll(missing, loader) : loadUnderLeases(leases, missing, loader);
        } finally {
            admission.release(missing.getFirst());
        }
        writer.write(loaded);
    }

    /** Reads the keys again that may have changed since the caller read Redis. Returns the loads that are not answered. */
    private List<Load<V>> readAgain(List<JoinedLoad<V>> joined) {
        List<Load<V>> changed = joined.stream()
                .filter(JoinedLoad::readsFirst)
                .map(JoinedLoad::load)
                .toList();
        if (!changed.isEmpty()) {
            List<Entry<V>> entries = entryStore.readAll(
                    changed.stream().map(Load::key).toList(),
                    () -> entryStore.timeout().toNanos());
            for (int i = 0; i < entries.size(); i++) {
                if (timing.isAnswered(changed.get(i), entries.get(i))) {
                    changed.get(i).complete(new LoadOutcome.Completed<>(entries.get(i)));
                }
            }
        }
        // The order of the lookup is the order in which the loader gets the keys.
        return joined.stream()
                .map(JoinedLoad::load)
                .filter(load -> !load.isComplete())
                .toList();
    }

    /** Claims all keys, and calls the loader for the keys that no other process loads. */
    private List<LoadedEntry<V>> loadUnderLeases(Leases<V> held, List<Load<V>> loads, BulkLoader<? extends V> loader)
            throws InterruptedException {
        List<ClaimedLoad<V>> claims = new ArrayList<>(loads.size());
        for (Load<V> load : loads) {
            ClaimedLoad<V> claim = new ClaimedLoad<>(load, held.begin(load.key()));
            load.claiming(claim.lease());
            claims.add(claim);
        }
        Set<Load<V>> written = new HashSet<>();
        try {
            List<LeaseSnapshot<V>> snapshots =
                    held.claimAll(claims.stream().map(ClaimedLoad::lease).toList());
            List<LoadedEntry<V>> loaded = callForClaimed(held, claims, snapshots, loader);
            loaded.forEach(entry -> written.add(entry.load()));
            return loaded;
        } finally {
            for (ClaimedLoad<V> claim : claims) {
                if (!written.contains(claim.load())) {
                    held.giveBack(claim.lease());
                }
            }
        }
    }

    private List<LoadedEntry<V>> callForClaimed(
            Leases<V> held,
            List<ClaimedLoad<V>> claims,
            List<LeaseSnapshot<V>> snapshots,
            BulkLoader<? extends V> loader)
            throws InterruptedException {
        List<Load<V>> called = new ArrayList<>();
        for (int i = 0; i < claims.size(); i++) {
            Load<V> load = claims.get(i).load();
            LeaseSnapshot<V> snapshot = snapshots.get(i);
            if (timing.isAnswered(load, snapshot.entry())) {
                load.complete(new LoadOutcome.Completed<>(snapshot.entry()));
            } else if (!snapshot.mayLoad()) {
                load.complete(new LoadOutcome.NotLoaded<>("load of another process"));
            } else if (load.background && snapshot.state() != LeaseState.HELD) {
                load.complete(new LoadOutcome.NotLoaded<>("Redis"));
            } else {
                called.add(load);
                if (snapshot.state() != LeaseState.HELD) {
                    held.stop(claims.get(i).lease());
                }
            }
        }
        List<LoadedEntry<V>> loaded = called.isEmpty() ? List.of() : invoker.invokeAll(called, loader);
        return loaded.stream()
                .filter(entry -> LoadedEntryWriter.lease(entry).mayBeHeld())
                .toList();
    }
}
