// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Ends loader calls that exceed the load timeout: the callers get a {@link LoadTimedOutException}, the key is free for
 * another load, the permit and the lease are released, and the thread of the loader is interrupted. Thread-safe.
 *
 * <p>DESIGN. The loader and the timeout compete for the end of a call. The first of them decides: if the loader returns
 * after the timeout, its value is dropped, because another process may have loaded the key since then.
 */
final class LoadTimeouts<V> {

    private final InFlightLoads<V> inFlightLoads;
    private final LoadAdmission admission;
    private final AbandonedLoaders abandonedLoaders;
    private final String cacheName;
    private final @Nullable Leases<V> leases;
    private final StatsCounter statsCounter;
    private final Timekeeper<RunningCall<V>> timekeeper;
    private final long timeoutMillis;

    LoadTimeouts(
            InFlightLoads<V> inFlightLoads,
            LoadAdmission admission,
            AbandonedLoaders abandonedLoaders,
            String cacheName,
            @Nullable Leases<V> leases,
            StatsCounter statsCounter,
            Duration loadTimeout,
            LongSupplier clock) {
        this.inFlightLoads = inFlightLoads;
        this.admission = admission;
        this.abandonedLoaders = abandonedLoaders;
        this.cacheName = cacheName;
        this.leases = leases;
        this.statsCounter = statsCounter;
        this.timekeeper = new Timekeeper<>("millrace-cache-timeout", loadTimeout.toNanos(), clock, this::timeOutAll);
        this.timeoutMillis = loadTimeout.toMillis();
    }

    /** A loader call in progress, for one load or for all loads of a bulk load. */
    static final class RunningCall<V> {

        private final List<Load<V>> loads;

        /** Set by the first of the loader and the timeout. */
        private final AtomicBoolean ended = new AtomicBoolean();

        private RunningCall(List<Load<V>> loads) {
            this.loads = loads;
        }
    }

    /** Begins the time limit of a loader call. */
    RunningCall<V> begin(List<Load<V>> loads) {
        RunningCall<V> begun = new RunningCall<>(loads);
        timekeeper.add(begun);
        return begun;
    }

    /** Ends a loader call that has returned. Returns false if the call has exceeded its time limit. */
    boolean end(RunningCall<V> running) {
        timekeeper.remove(running);
        if (running.ended.compareAndSet(false, true)) {
            return true;
        }
        abandonedLoaders.remove();
        return false;
    }

    void close() {
        timekeeper.close();
    }

    private void timeOutAll(List<RunningCall<V>> due) {
        List<RunningCall<V>> ended = due.stream()
                .filter(call -> call.ended.compareAndSet(false, true))
                .toList();
        ended.forEach(this::timeOut);
    }

    private void timeOut(RunningCall<V> call) {
        boolean releasesPermit = abandonedLoaders.add();
        statsCounter.loadTimeouts.increment();
        commitEvent(call);
        call.loads.getFirst().call.end(); // the loads of a bulk load share one call
        for (Load<V> load : call.loads) {
            boolean unused = load.tryDiscard();
            load.complete(new LoadOutcome.TimedOut<>(timeoutMillis));
            inFlightLoads.remove(load);
            if (releasesPermit) {
                admission.end(load);
            }
            giveBackLease(load);
        }
        call.loads.getFirst().interrupt();
    }

    private void giveBackLease(Load<V> load) {
        HeldLease lease = load.lease();
        if (leases != null && lease != null) {
            leases.giveBack(lease);
        }
    }

    private void commitEvent(RunningCall<V> call) {
        CacheEvents.CacheLoadTimeout event = new CacheEvents.CacheLoadTimeout();
        if (event.shouldCommit()) {
            event.cache = cacheName;
            event.keys = call.loads.size();
            event.commit();
        }
    }
}
