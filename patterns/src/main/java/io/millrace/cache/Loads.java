// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The loads that are under way in this process, one for each key at most. Any thread; no lock for all of them.
 *
 * <p>DESIGN. A caller looks into Redis, finds nothing, and then asks for a load. In between another's load may have come and gone,
 * so that the value is there and is not to be loaded twice. Looking once more before each load would tell, at the price of a round trip.
 * Instead each load that ends is counted, and each writing and removal of this process, and callers note the count before they look: only if it has changed do they look again. The
 * counters are shared by keys of the same hash, which costs a needless look now and then.
 */
final class Loads<V> {

    /** For a caller that has to look again in any case. */
    static final long LOOK_AGAIN = -1;

    /** A power of two, many times the loads that are usually under way. */
    private static final int COUNTERS = 1_024;

    private final ConcurrentHashMap<String, Load<V>> underWay = new ConcurrentHashMap<>();
    private final AtomicLongArray endings = new AtomicLongArray(COUNTERS);
    private final CountDownLatch closed = new CountDownLatch(1);

    /**
     * A load that somebody waits for.
     *
     * @param mine whether it is for the caller to start it
     * @param looksFirst whether another load may have filled the key since the caller looked
     */
    record Joined<V>(Load<V> load, boolean mine, boolean looksFirst) {}

    /** To be noted before Redis is asked for {@code key}, and given to {@link #join}. */
    long stamp(String key) {
        return endings.get(counter(key));
    }

    /** The load of a key that Redis does not have: one that is under way, or a new one. */
    Joined<V> join(Request<V> request, long stamp) {
        String key = request.key();
        while (true) {
            Load<V> there = underWay.get(key);
            if (there != null && !there.isOver()) {
                return new Joined<>(there, false, false);
            }
            Load<V> fresh = new Load<>(request, false);
            boolean placed =
                    there == null ? underWay.putIfAbsent(key, fresh) == null : underWay.replace(key, there, fresh);
            if (placed) {
                return new Joined<>(fresh, !isRefused(fresh), stamp(key) != stamp);
            }
        }
    }

    /** A new load in the background, if there is no load of this key. */
    Optional<Load<V>> launch(Request<V> request) {
        Load<V> fresh = new Load<>(request, true);
        boolean placed = underWay.putIfAbsent(request.key(), fresh) == null;
        return placed && !isRefused(fresh) ? Optional.of(fresh) : Optional.empty();
    }

    /** Looked at when the load is in its place: so either it is refused, or whoever closes finds it there. */
    private boolean isRefused(Load<V> load) {
        if (closed.getCount() > 0) {
            return false;
        }
        load.close();
        ended(load);
        return true;
    }

    /** Returns when the loads are closed, or after {@code nanos}. */
    void awaitClosed(long nanos) throws InterruptedException {
        boolean unused = closed.await(nanos, TimeUnit.NANOSECONDS);
    }

    boolean isUnderWay(String key) {
        return underWay.containsKey(key);
    }

    /** Nothing of this load will be written any more, and Redis has what was. */
    void ended(Load<V> load) {
        changed(load.key());
        underWay.remove(load.key(), load);
        load.leave();
    }

    /**
     * Keeps what is being loaded for {@code key} from being written from now on. If it is being written waits for that, for {@code
     * nanos} at most, or until an interrupt, which stays set. Callers that come later begin a load of their own.
     */
    void discard(String key, long nanos) {
        Load<V> load = underWay.get(key);
        if (load == null) {
            return;
        }
        if (!load.becomeWorthless()) {
            try {
                boolean unused = load.awaitGone(nanos);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        underWay.remove(key, load);
    }

    /** The key was written or removed: whoever has looked before is to look again. */
    void changed(String key) {
        endings.incrementAndGet(counter(key));
    }

    /** Ends all loads, refuses new ones, and waits for them for {@code nanos} at most, or until an interrupt, which stays set. */
    void close(long nanos) {
        closed.countDown();
        List<Load<V>> all = List.copyOf(underWay.values());
        all.forEach(Load::close);
        long giveUp = System.nanoTime() + nanos;
        try {
            for (Load<V> load : all) {
                boolean unused = load.awaitGone(giveUp - System.nanoTime());
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
