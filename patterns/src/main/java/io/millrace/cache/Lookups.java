// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.cache.Loads.Joined;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Answers callers: with what is here, with what Redis has, or with what a load brings.
 *
 * <p>DESIGN. What is done for a hit is one {@code GET}, a look at the entry's first bytes and the decoding: no lock, nothing that callers
 * share but counters that are made for that, and no more than a few small objects.
 */
final class Lookups<V> {

    private final String name;
    private final Near<V> near;
    private final Store<V> store;
    private final Loads<V> loads;
    private final LoadRunner<V> runner;
    private final Surroundings surroundings;
    private final Tally tally;
    private final Duration deadline;
    private final boolean servesStale;

    Lookups(
            Near<V> near,
            Store<V> store,
            Loads<V> loads,
            LoadRunner<V> runner,
            CacheOptions options,
            Surroundings surroundings,
            Tally tally) {
        this.name = store.name();
        this.near = near;
        this.store = store;
        this.loads = loads;
        this.runner = runner;
        this.surroundings = surroundings;
        this.tally = tally;
        this.deadline = options.deadline();
        this.servesStale = !options.staleFor().isZero();
    }

    /** When a caller that comes now has waited long enough. */
    long deadline() {
        return nanos() + deadline.toNanos();
    }

    /** How long that is from now, in nanoseconds. */
    long left(long waitedEnough) {
        return waitedEnough - nanos();
    }

    /** The answer to {@code request}: a value, or, if that is one, that there is none. */
    Entry<V> answer(Request<V> request) {
        long waitedEnough = deadline();
        long stamp = loads.stamp(request.key());
        Entry<V> here = near.find(request.key());
        if (here != null && serves(request, here, true)) {
            return thrownIfFailure(here);
        }
        if (here == null) {
            countIfDown();
        }
        Entry<V> there = ask(request.key());
        if (serves(request, there, false)) {
            return thrownIfFailure(there);
        }
        tally.misses.increment();
        return await(request, join(request, stamp, null), waitedEnough);
    }

    /** Counts a look into this process that was bound to find nothing. */
    void countIfDown() {
        if (near.isDown()) {
            tally.nearMissedWhileDown.increment();
        }
    }

    private Entry<V> ask(String key) {
        Near.Ticket ticket = near.begin(key);
        Entry<V> entry = store.read(key);
        keep(ticket, entry);
        return entry;
    }

    /** Has the entry kept here too, if it can be. */
    void keep(Near.Ticket ticket, Entry<V> entry) {
        if (entry.kind().isThere()) {
            near.keep(ticket, entry);
        } else {
            near.abandon(ticket);
        }
    }

    /** Whether the entry is served; if so it is counted, and loaded again in the background if it is time for that. */
    boolean serves(Request<V> request, Entry<V> entry, boolean fromHere) {
        if (!request.isAnsweredBy(entry)) {
            return false;
        }
        if (!entry.ages()) {
            countHit(entry, fromHere);
            return true;
        }
        long now = surroundings.epochMillis().getAsLong();
        if (!entry.isStale(now)) {
            countHit(entry, fromHere);
        } else if (servesStale) {
            tally.staleServes.increment();
        } else {
            return false;
        }
        if (entry.isDue(now)) {
            runner.refresh(request);
        }
        return true;
    }

    private void countHit(Entry<V> entry, boolean fromHere) {
        if (fromHere) {
            tally.nearHits.increment();
        } else if (entry.kind() == Entry.Kind.VALUE) {
            tally.hits.increment();
        } else {
            tally.negativeHits.increment();
        }
    }

    /** The load that loads what was not found; started here if nobody has. */
    Joined<V> join(Request<V> request, long stamp, @Nullable WriteBack<V> together) {
        Joined<V> joined = loads.join(request, stamp);
        if (joined.mine()) {
            if (together != null) {
                together.expect(joined.load());
            }
            runner.start(joined, together);
        } else {
            tally.waits.increment();
        }
        return joined;
    }

    /**
     * Waits for a load, and for another if that one brings no answer to this request.
     *
     * @throws CacheException if there is none by then, or the loader failed
     */
    Entry<V> await(Request<V> request, Joined<V> first, long waitedEnough) {
        Load<V> load = first.load();
        while (true) {
            switch (outcome(load, waitedEnough)) {
                case LoadOutcome.Arrived<V>(Entry<V> entry) -> {
                    if (request.isAnsweredBy(entry)) {
                        return thrownIfFailure(entry);
                    }
                    // Until then it is still the load of this key, which whoever joins would be handed again.
                    awaitGone(load, waitedEnough);
                }
                case LoadOutcome.Failed<V>(Throwable cause, long afterMillis, boolean kept) ->
                    throw new LoadFailedException(
                            "a load failed after " + afterMillis + " ms: cache=" + name + ", exception="
                                    + cause.getClass().getName() + ". See its cause.",
                            cause);
                case LoadOutcome.GaveUp<V>(String why) -> {
                    if (left(waitedEnough) <= 0) {
                        throw timedOut(why);
                    }
                }
                case LoadOutcome.Closed<V>() -> throw Cache.closed(name);
            }
            load = join(request, Loads.LOOK_AGAIN, null).load();
        }
    }

    private LoadOutcome<V> outcome(Load<V> load, long waitedEnough) {
        try {
            LoadOutcome<V> outcome = load.await(left(waitedEnough));
            if (outcome == null) {
                throw timedOut("load");
            }
            return outcome;
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private void awaitGone(Load<V> load, long waitedEnough) {
        try {
            if (!load.awaitGone(left(waitedEnough))) {
                throw timedOut("the end of a load that found no value");
            }
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private LoadInterruptedException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new LoadInterruptedException(
                "interrupted while waiting for a load: cache=" + name + ". The load goes on.", e);
    }

    LoadTimedOutException timedOut(String awaited) {
        return new LoadTimedOutException("no value after " + TimeUnit.NANOSECONDS.toMillis(deadline.toNanos())
                + " ms: cache=" + name + ", awaited=" + awaited
                + ". A load that was begun goes on; give callers a longer deadline, or more room to loads.");
    }

    /** The entry; a failure that was kept is thrown again. */
    Entry<V> thrownIfFailure(Entry<V> entry) {
        if (entry.kind() == Entry.Kind.FAILURE) {
            throw new LoadFailedException(
                    "a load failed before, and that is kept: cache=" + name + ", exception=" + entry.failure()
                            + ". It is tried again after the time to live of failures.",
                    null);
        }
        return entry;
    }

    private long nanos() {
        return surroundings.nanos().getAsLong();
    }
}
