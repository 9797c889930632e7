// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.cache.InFlightLoads.JoinedLoad;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Answers lookups from the near cache, from Redis, or by a load.
 *
 * <p>DESIGN. A hit costs one {@code GET}, a check of the entry header, and the decoding. The path of a hit takes no
 * lock, shares only striped counters between threads, and allocates few small objects.
 */
final class Lookups<V> {

    private final String name;
    private final NearCache<V> nearCache;
    private final EntryStore<V> entryStore;
    private final InFlightLoads<V> inFlightLoads;
    private final LoadRunner<V> runner;
    private final LoadAdmission admission;
    private final ClockAndRandom clockAndRandom;
    private final StatsCounter statsCounter;
    private final Duration newDeadline;
    private final boolean servesStale;

    Lookups(
            NearCache<V> nearCache,
            EntryStore<V> entryStore,
            InFlightLoads<V> inFlightLoads,
            LoadRunner<V> runner,
            LoadAdmission admission,
            CacheOptions options,
            ClockAndRandom clockAndRandom,
            StatsCounter statsCounter) {
        this.name = entryStore.name();
        this.nearCache = nearCache;
        this.entryStore = entryStore;
        this.inFlightLoads = inFlightLoads;
        this.runner = runner;
        this.admission = admission;
        this.clockAndRandom = clockAndRandom;
        this.statsCounter = statsCounter;
        this.newDeadline = options.deadline();
        this.servesStale = !options.staleFor().isZero();
    }

    /** Returns the deadline of a lookup that begins now, in nanoseconds of the clock. */
    long newDeadline() {
        return nanos() + newDeadline.toNanos();
    }

    /** Returns the nanoseconds until the deadline. */
    long nanosLeft(long deadlineNanos) {
        return deadlineNanos - nanos();
    }

    /** Answers a lookup with a value, or with a negative entry if the lookup accepts one. */
    Entry<V> answer(LookupRequest<V> lookupRequest) {
        long stamp = inFlightLoads.stamp(lookupRequest.key());
        Entry<V> kept = nearCache.find(lookupRequest.key());
        if (kept != null && isServed(lookupRequest, kept, true)) {
            return requireNoFailure(refreshed(lookupRequest, kept));
        }
        long deadlineNanos = newDeadline(); // nothing blocks before, and a near hit needs no deadline
        if (kept == null) {
            countIfNearDown();
        }
        Entry<V> stored = readRedis(lookupRequest.key());
        if (isServed(lookupRequest, stored, false)) {
            return requireNoFailure(refreshed(lookupRequest, stored));
        }
        statsCounter.misses.increment();
        return await(lookupRequest, join(lookupRequest, stamp, null, deadlineNanos), deadlineNanos);
    }

    /** Returns the entry of a key without a load. Counts the lookup. */
    Optional<V> present(String key) {
        LookupRequest<V> lookupRequest = new LookupRequest<>(key, unused -> Optional.empty(), true);
        Entry<V> kept = nearCache.find(key);
        if (kept != null && isServed(lookupRequest, kept, true)) {
            return Optional.ofNullable(kept.value());
        }
        if (kept == null) {
            countIfNearDown();
        }
        Entry<V> stored = readRedis(key);
        if (isServed(lookupRequest, stored, false)) {
            return Optional.ofNullable(stored.value());
        }
        statsCounter.misses.increment();
        return Optional.empty();
    }

    /**
     * Reads the entry of a key from Redis. Counts no lookup.
     *
     * @throws io.millrace.client.exception.RedisException if Redis does not answer
     */
    Optional<CachedEntry<V>> stored(String key) {
        Entry<V> entry = entryStore.readAlways(key);
        return entry.kind().isStored() ? Optional.of(described(entry)) : Optional.empty();
    }

    /** Returns an entry as callers see it. */
    CachedEntry<V> described(Entry<V> entry) {
        return CachedEntry.of(entry, clockAndRandom.epochMillis().getAsLong());
    }

    /** Counts a lookup that skipped the near cache because tracking is down. */
    void countIfNearDown() {
        if (nearCache.isDown()) {
            statsCounter.nearMissedWhileDown.increment();
        }
    }

    private Entry<V> readRedis(String key) {
        NearCache.PendingRead ticket = nearCache.beginRead(key);
        Entry<V> entry = entryStore.read(key);
        completeNearRead(ticket, entry);
        return entry;
    }

    /** Ends the read in the near cache. The near cache keeps the entry if Redis has an entry. */
    void completeNearRead(NearCache.PendingRead ticket, Entry<V> entry) {
        if (entry.kind().isStored()) {
            nearCache.completeRead(ticket, entry);
        } else {
            nearCache.abandonRead(ticket);
        }
    }

    /**
     * Returns an entry that has answered a lookup. If a background load is due, starts the load. If the loader of the
     * lookup runs on the thread of its caller, this caller runs the load, and gets the new entry. The other callers get the
     * present entry during this time, and this caller gets it if the load fails.
     */
    private Entry<V> refreshed(LookupRequest<V> lookupRequest, Entry<V> entry) {
        if (!isRefreshDue(entry)) {
            return entry;
        }
        if (lookupRequest.callersLoader() == null) {
            refresh(lookupRequest);
            return entry;
        }
        Load<V> load = runner.addRefresh(lookupRequest, newDeadline.toNanos()).orElse(null);
        if (load == null) {
            return entry;
        }
        runOnCaller(load, true, 0); // a background load does not wait
        return outcomeOnCaller(lookupRequest, load) instanceof LoadOutcome.Completed<V>(Entry<V> loaded, boolean kept)
                        && lookupRequest.isAnsweredBy(loaded)
                ? loaded
                : entry;
    }

    /** Whether the entry, which has answered a lookup, needs a background load. */
    boolean isRefreshDue(Entry<V> entry) {
        return entry.needsFreshnessCheck()
                && entry.isRefreshDue(clockAndRandom.epochMillis().getAsLong());
    }

    /** Starts a background load, unless the key has a load in flight or no permit is free. */
    void refresh(LookupRequest<V> lookupRequest) {
        runner.refresh(lookupRequest, newDeadline.toNanos());
    }

    /** Returns whether the entry answers the lookup. If so, counts the hit. */
    boolean isServed(LookupRequest<V> lookupRequest, Entry<V> entry, boolean fromNear) {
        if (!lookupRequest.isAnsweredBy(entry)) {
            return false;
        }
        if (!entry.maybeStale() || !entry.isStale(clockAndRandom.epochMillis().getAsLong())) {
            countHit(entry, fromNear);
            return true;
        }
        if (servesStale) {
            statsCounter.staleServes.increment();
        }
        return servesStale;
    }

    private void countHit(Entry<V> entry, boolean fromNear) {
        if (fromNear) {
            statsCounter.nearHits.increment();
        } else if (entry.kind() == Entry.Kind.VALUE) {
            statsCounter.hits.increment();
        } else {
            statsCounter.negativeHits.increment();
        }
    }

    /** Joins the load of a missing key, or starts a load. If the load runs on this thread, returns after its end. */
    JoinedLoad<V> join(
            LookupRequest<V> lookupRequest, long stamp, @Nullable WriteBatch<V> writeBatch, long deadlineNanos) {
        JoinedLoad<V> joined = inFlightLoads.join(lookupRequest, stamp);
        if (!joined.mustStart()) {
            statsCounter.waits.increment();
        } else if (lookupRequest.callersLoader() != null) {
            runOnCaller(joined.load(), joined.readsFirst(), nanosLeft(deadlineNanos));
        } else {
            if (writeBatch != null) {
                writeBatch.expect(joined.load());
            }
            runner.start(joined, writeBatch);
        }
        return joined;
    }

    /**
     * Runs a load on the current thread. Blocks until the loader has returned.
     *
     * @throws LoadInterruptedException if the thread was interrupted before the loader was called
     */
    private void runOnCaller(Load<V> load, boolean readsFirst, long limitNanos) {
        Exception interruption = waitingFor(load, () -> {
                    runner.runOnCaller(load, readsFirst, limitNanos);
                    return Optional.ofNullable(load.interruption());
                })
                .orElse(null);
        if (interruption != null) {
            throw new LoadInterruptedException(
                    "the thread was interrupted while it waited to call its loader: cache=" + name + ".", interruption);
        }
    }

    /**
     * Returns the outcome of a load for the caller that has run the load: the result of its loader, or the outcome of the
     * load if the loader was not called; null if there is no outcome.
     */
    private static <V> @Nullable LoadOutcome<V> outcomeOnCaller(LookupRequest<V> lookupRequest, Load<V> load) {
        CallersLoader<V> callers = lookupRequest.callersLoader();
        LoadOutcome<V> own = callers == null ? null : callers.outcome();
        return own == null ? load.outcome() : own;
    }

    /**
     * Waits for a load. If the load does not answer this lookup, joins or starts another load and waits again.
     *
     * @throws CacheException if the loader failed, or the deadline passed
     */
    Entry<V> await(LookupRequest<V> lookupRequest, JoinedLoad<V> first, long deadlineNanos) {
        Load<V> load = first.load();
        while (true) {
            switch (outcome(lookupRequest, load, deadlineNanos)) {
                case LoadOutcome.Completed<V>(Entry<V> entry, boolean kept) -> {
                    if (lookupRequest.isAnsweredBy(entry)) {
                        return requireNoFailure(entry);
                    }
                    // Wait until the load is gone. Until then, a join would return the same load again.
                    awaitGone(load, deadlineNanos);
                }
                case LoadOutcome.Failed<V>(Throwable cause, long afterMillis, boolean kept) ->
                    throw new LoadFailedException(
                            "a load failed after " + afterMillis + " ms: cache=" + name + ", exception="
                                    + cause.getClass().getName() + ". See the cause of this exception.",
                            cause);
                case LoadOutcome.NotLoaded<V>(String awaited) -> {
                    if (nanosLeft(deadlineNanos) <= 0) {
                        throw timeoutException(awaited);
                    }
                }
                case LoadOutcome.TimedOut<V>(long afterMillis) ->
                    throw new LoadTimedOutException("the loader did not return within " + afterMillis
                            + " ms and was interrupted: cache=" + name
                            + ". Give the calls of the loader a timeout, or increase loadTimeout.");
                case LoadOutcome.Refused<V>(int abandonedLoaders) ->
                    throw new LoadRefusedException("a load was refused: cache=" + name + ", abandonedLoaders="
                            + abandonedLoaders + ", limit=" + AbandonedLoaders.LIMIT
                            + ". The abandoned loaders have exceeded loadTimeout and ignore their interrupts. Give the"
                            + " calls of the loader a timeout.");
                case LoadOutcome.Closed<V>() -> throw closed(name);
            }
            load = join(lookupRequest, InFlightLoads.READ_AGAIN, null, deadlineNanos)
                    .load();
        }
    }

    /** Returns the outcome, and waits for it if this thread has not run the load. */
    private LoadOutcome<V> outcome(LookupRequest<V> lookupRequest, Load<V> load, long deadlineNanos) {
        LoadOutcome<V> present = outcomeOnCaller(lookupRequest, load);
        return present == null ? waitingFor(load, () -> awaitOutcome(load, deadlineNanos)) : present;
    }

    /**
     * Waits for a load, or runs a load. If the current thread runs a loader, the call of this loader lends its permit to
     * the load during this time.
     */
    private <T> T waitingFor(Load<V> load, Supplier<T> wait) {
        LoaderCall outer = LoaderCall.current();
        if (outer == null) {
            return wait.get();
        }
        if (!outer.tryBeginWait(load.call)) {
            throw cycle();
        }
        LoaderCall.Loan loan = admission.lend(outer, load);
        try {
            return wait.get();
        } finally {
            outer.endLoan(loan);
            outer.endWait(load.call);
        }
    }

    LoadCycleException cycle() {
        return new LoadCycleException("a load waits for its own value: cache=" + name
                + ". A loader must not request its own key, directly or through the loaders of other keys.");
    }

    private LoadOutcome<V> awaitOutcome(Load<V> load, long deadlineNanos) {
        try {
            LoadOutcome<V> outcome = load.await(nanosLeft(deadlineNanos));
            if (outcome == null) {
                // A load that another caller has just started needs some time to begin.
                boolean ended = inFlightLoads.endIfNotBegun(load, newDeadline.toNanos() / 2);
                throw timeoutException(ended ? InFlightLoads.NO_THREAD : "load");
            }
            return outcome;
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private void awaitGone(Load<V> load, long deadlineNanos) {
        try {
            if (!load.awaitGone(nanosLeft(deadlineNanos))) {
                throw timeoutException("the end of a load that found no value");
            }
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private LoadInterruptedException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new LoadInterruptedException(
                "the thread was interrupted while it waited for a load: cache=" + name + ". The load continues.", e);
    }

    LoadTimedOutException timeoutException(String awaited) {
        return new LoadTimedOutException("the caller got no value within "
                + TimeUnit.NANOSECONDS.toMillis(newDeadline.toNanos()) + " ms: cache=" + name + ", awaited=" + awaited
                + ". A load in progress continues. Increase deadline or concurrentLoads.");
    }

    /** Returns the entry, or throws if the entry is a cached failure. */
    private Entry<V> requireNoFailure(Entry<V> entry) {
        if (entry.kind() == Entry.Kind.FAILURE) {
            throw cachedFailure(entry);
        }
        return entry;
    }

    /** Returns the exception for a cached failure. */
    LoadFailedException cachedFailure(Entry<?> entry) {
        return new LoadFailedException(
                "an earlier load failed and the failure is cached: cache=" + name + ", exception=" + entry.failure()
                        + ". The loader is called again after failureTimeToLive.",
                null);
    }

    /** Returns the exception for a call of a closed cache. */
    static IllegalStateException closed(String name) {
        return new IllegalStateException(
                "the cache is closed: cache=" + name + ". Close the cache after its last call.");
    }

    private long nanos() {
        return clockAndRandom.nanos().getAsLong();
    }
}
