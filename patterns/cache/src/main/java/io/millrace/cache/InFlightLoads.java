// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The loads in flight in this process, at most one for each key. Thread-safe, without a global lock.
 *
 * <p>DESIGN. A caller reads Redis, finds no entry, and then joins or starts a load. Between these two steps another
 * load may start and end. Then the value is already in Redis and must not be loaded twice. A second read of Redis
 * before each load would find such a value, but the read costs a round trip. A counter avoids most of these reads. The
 * counter is incremented at the end of each load, and at each put and remove of this process. Before a caller reads
 * Redis, the caller notes the value of the counter. This value is called the stamp. If the counter no longer equals the
 * stamp when the load begins, the load reads Redis again. Keys with the same hash share a counter. So a load of another
 * key may have changed the counter, and the second read may be unnecessary.
 */
final class InFlightLoads<V> {

    /** What a caller waits for if no thread has begun its load. */
    static final String NO_THREAD = "a thread of the executor";

    /** A stamp that equals no counter. A load that begins with this stamp always reads Redis again. */
    static final long READ_AGAIN = -1;

    /**
     * The cooldown after a background load that wrote no entry. During this time no other background load of the key
     * starts, and the cache serves the old value.
     */
    private static final long COOLDOWN_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Number of counters: a power of two, far above the usual number of loads in flight. */
    private static final int COUNTERS = 1_024;

    private final ConcurrentHashMap<String, Load<V>> inFlight = new ConcurrentHashMap<>();
    private final AtomicLongArray endCounters = new AtomicLongArray(COUNTERS);
    private final CountDownLatch closed = new CountDownLatch(1);

    /**
     * A load that a caller waits for.
     *
     * @param mustStart whether the caller must start the load
     * @param readsFirst whether the load must read Redis first, because the entry may have changed since the caller
     *     read Redis
     */
    record JoinedLoad<V>(Load<V> load, boolean mustStart, boolean readsFirst) {}

    /**
     * Returns the stamp of {@code key}. A caller calls this method before the caller reads Redis, and later passes the
     * stamp to {@link #join}.
     */
    long stamp(String key) {
        return endCounters.get(counter(key));
    }

    /** Returns the load of a missing key: the load in flight, or a new load with a separate loader call. */
    JoinedLoad<V> join(LookupRequest<V> lookupRequest, long stamp) {
        return join(lookupRequest, stamp, new LoaderCall());
    }

    /** Returns the load of a missing key: the load in flight, or a new load that belongs to {@code call}. */
    JoinedLoad<V> join(LookupRequest<V> lookupRequest, long stamp, LoaderCall call) {
        String key = lookupRequest.key();
        while (true) {
            Load<V> current = inFlight.get(key);
            if (current != null && !current.isOver()) {
                return new JoinedLoad<>(current, false, false);
            }
            Load<V> created = new Load<>(lookupRequest, false, call);
            boolean added = current == null
                    ? inFlight.putIfAbsent(key, created) == null
                    : inFlight.replace(key, current, created);
            if (added) {
                return new JoinedLoad<>(created, !isRefused(created), stamp(key) != stamp);
            }
        }
    }

    /** Adds a background load of the key. Returns empty if the key has a load in flight or the cache is closed. */
    Optional<Load<V>> addBackground(LookupRequest<V> lookupRequest, LoaderCall call) {
        Load<V> created = new Load<>(lookupRequest, true, call);
        boolean added = inFlight.putIfAbsent(lookupRequest.key(), created) == null;
        return added && !isRefused(created) ? Optional.of(created) : Optional.empty();
    }

    /**
     * Refuses the load if the cache is closed. The check runs after the load was added to the map. So either this check
     * refuses the load, or {@link #close} finds the load in the map.
     */
    private boolean isRefused(Load<V> load) {
        if (closed.getCount() > 0) {
            return false;
        }
        load.close();
        remove(load);
        return true;
    }

    /**
     * Keeps background loads that wrote no entry registered for {@link #COOLDOWN_NANOS}. The loads so block further
     * background loads of their keys. A thread of the user's executor must not wait for so long.
     */
    void coolDown(List<Load<V>> loads) {
        loads.forEach(Load::beginCooldown);
        Thread.ofVirtual().name("millrace-cache-cooldown").start(() -> {
            try {
                boolean unused = closed.await(COOLDOWN_NANOS, TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt(); // not expected; the cooldown then ends early
            } finally {
                loads.forEach(this::remove);
            }
        });
    }

    boolean isInFlight(String key) {
        return inFlight.containsKey(key);
    }

    /** Whether the key has a load in flight. Ends a load that no thread has begun for {@code nanos} at least. */
    boolean isBusy(String key, long nanos) {
        Load<V> load = inFlight.get(key);
        return load != null && !endIfNotBegun(load, nanos);
    }

    /**
     * Ends a load that no thread has begun for {@code nanos} at least, because a thread of the executor is not free or
     * the executor has dropped the load. Returns false if the load has begun or is younger.
     */
    boolean endIfNotBegun(Load<V> load, long nanos) {
        if (!load.tryAbandon(nanos)) {
            return false;
        }
        load.complete(new LoadOutcome.NotLoaded<>(NO_THREAD));
        remove(load);
        return true;
    }

    /**
     * Removes a load that has ended and will not write again. If the load wrote an entry, the entry is already in
     * Redis.
     */
    void remove(Load<V> load) {
        recordChange(load.key());
        inFlight.remove(load.key(), load);
        load.markGone();
    }

    /**
     * Prevents the load of {@code key} from writing. If the load is already writing, waits until the write has ended,
     * for {@code nanos} at most. An interrupt ends the wait, and the interrupt flag stays set. Later callers start a
     * new load.
     */
    void discard(String key, long nanos) {
        Load<V> load = inFlight.get(key);
        if (load == null) {
            return;
        }
        if (!load.tryDiscard()) {
            try {
                boolean unused = load.awaitGone(nanos);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        inFlight.remove(key, load);
    }

    /** Discards the loads of {@code keys} as {@link #discard} does, and waits for {@code nanos} at most in total. */
    void discardAll(Collection<String> keys, long nanos) {
        long deadlineNanos = System.nanoTime() + nanos;
        for (String key : keys) {
            discard(key, deadlineNanos - System.nanoTime());
        }
    }

    /** Discards all loads in flight, and waits for {@code nanos} at most in total. */
    void discardAll(long nanos) {
        discardAll(List.copyOf(inFlight.keySet()), nanos);
    }

    /**
     * Records that the entry of the key may have changed in Redis. Callers that read Redis before this call must read
     * Redis again.
     */
    void recordChange(String key) {
        endCounters.incrementAndGet(counter(key));
    }

    /** Records that each entry may have changed in Redis. */
    void recordAllChanged() {
        for (int counter = 0; counter < COUNTERS; counter++) {
            endCounters.incrementAndGet(counter);
        }
    }

    /**
     * Ends all loads and refuses new loads. Waits for the end of the loads, for {@code nanos} at most. An interrupt
     * ends the wait, and the interrupt flag stays set.
     */
    void close(long nanos) {
        closed.countDown();
        List<Load<V>> all = List.copyOf(inFlight.values());
        all.forEach(Load::close);
        long deadlineNanos = System.nanoTime() + nanos;
        try {
            for (Load<V> load : all) {
                boolean unused = load.awaitGone(deadlineNanos - System.nanoTime());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static int counter(String key) {
        int hash = key.hashCode();
        return (hash ^ (hash >>> 16)) & (COUNTERS - 1);
    }
}
