// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.client.Invalidation;
import io.millrace.client.RedisClient;
import io.millrace.client.Tracking;
import io.millrace.client.TrackingOptions;
import io.millrace.client.exception.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/*
 * DESIGN
 *
 *     find:   is tracking established?        --no-->   return null
 *             are invalidations pending?      --yes-->  apply them, or wait for the thread that applies them
 *             look up the slot
 *
 * So a lookup sees every invalidation that arrived before the lookup began. There is no separate thread: the first
 * lookup applies the pending invalidations for all lookups. Without lookups the pending invalidations are merged, and
 * the buffer limits their memory.
 *
 * An invalidation may arrive between the reply of Redis and the insertion into the map. Therefore the map gets a
 * placeholder for the key before the GET is sent. An invalidation removes the slot of the key. A reply replaces only
 * the placeholder that was present before the GET:
 *
 *     begin  add placeholder   GET k -> 1             1 arrives: the placeholder is gone, so 1 is not kept
 *     -------------------------------------------------------------------->
 *     another client              SET k 2  -> invalidate k: remove the placeholder
 *
 * If the invalidation of a write arrived before the placeholder was added, the write happened before the GET was sent,
 * so the reply contains the write. Concurrent readers of the same key share one placeholder, and the first reply
 * replaces the placeholder. With a separate placeholder for each reader, the readers of a popular key would replace
 * each other's placeholders, and no reply would be kept.
 */

/** A near cache that the server invalidates by client tracking. */
final class TrackedNearCache<V> implements NearCache<V> {

    private final Tracking tracking;

    /** Prefix of each key in Redis. */
    private final String prefix;

    private final ConcurrentMap<String, NearSlot<V>> slots;
    private final ReentrantLock applying = new ReentrantLock();

    /** Whether a thread has taken invalidations that are not applied yet. Written by the thread that holds the lock. */
    private volatile boolean behind;

    /**
     * Creates a near cache, which closes {@code tracking} on {@link #close}.
     *
     * @param prefix prefix of the keys in Redis
     * @param slots empty map with a size limit and an expiry of its entries
     */
    TrackedNearCache(Tracking tracking, String prefix, ConcurrentMap<String, NearSlot<V>> slots) {
        this.tracking = tracking;
        this.prefix = prefix;
        this.slots = slots;
    }

    /**
     * Opens a near cache with the given settings.
     *
     * @param longest maximum time for which the near cache keeps an entry
     * @throws ConnectException if the server is unreachable or does not support tracking
     * @throws IllegalStateException if Caffeine is not on the class path
     */
    static <V> NearCache<V> open(
            RedisClient client,
            String prefix,
            NearCacheOptions options,
            ClockAndRandom clockAndRandom,
            Duration longest) {
        if (options.limit() == NearCacheOptions.Limit.DISABLED) {
            return NearCache.none();
        }
        ConcurrentMap<String, NearSlot<V>> slots;
        try {
            slots = CaffeineNearSlots.create(options, clockAndRandom, longest);
        } catch (NoClassDefFoundError e) {
            throw new IllegalStateException(
                    "a near cache cannot be opened: Caffeine is not on the class path."
                            + " Add com.github.ben-manes.caffeine:caffeine.",
                    e);
        }
        TrackingOptions tracked = new TrackingOptions(List.of(prefix), options.pingInterval(), options.buffer());
        return new TrackedNearCache<>(client.track(tracked), prefix, slots);
    }

    @Override
    public @Nullable Entry<V> find(String key) {
        // Check tracking first. After a connection loss, tracking queues an invalidation of all keys before tracking is
        // up to date again. catchUp() applies this invalidation.
        if (!tracking.isUpToDate()) {
            return null;
        }
        catchUp();
        NearSlot<V> nearSlot = slots.get(key);
        return nearSlot == null ? null : nearSlot.entry();
    }

    @Override
    public PendingRead beginRead(String key) {
        NearSlot<V> mark = NearSlot.placeholder(key);
        // Do not keep a key with an unpaired surrogate: the server reports its invalidation under another name.
        NearSlot<V> present =
                tracking.isUpToDate() && SurrogatePairs.areComplete(key) ? slots.putIfAbsent(key, mark) : null;
        return present == null ? mark : present;
    }

    @Override
    public void completeRead(PendingRead ticket, Entry<V> entry) {
        NearSlot<V> mark = slotOf(ticket);
        if (tracking.isUpToDate()) {
            slots.replace(mark.key(), mark, mark.with(entry));
        } else {
            abandonRead(ticket);
        }
    }

    @Override
    public void abandonRead(PendingRead ticket) {
        NearSlot<V> mark = slotOf(ticket);
        slots.remove(mark.key(), mark);
    }

    @SuppressWarnings("unchecked") // all tickets are slots
    private NearSlot<V> slotOf(PendingRead ticket) {
        return (NearSlot<V>) ticket;
    }

    @Override
    public void invalidate(String key) {
        slots.remove(key);
    }

    @Override
    public void invalidateAll() {
        slots.clear();
    }

    @Override
    public boolean isDown() {
        return !tracking.isUpToDate();
    }

    @Override
    public void close() {
        tracking.close();
        slots.clear();
    }

    /** Applies all invalidations that arrived before this call. */
    private void catchUp() {
        // Read waiting() before "behind". A thread sets "behind" before the thread takes invalidations. So this check
        // also detects invalidations that were taken and are not applied yet.
        if (tracking.waiting() == 0 && !behind) {
            return;
        }
        applying.lock();
        try {
            behind = true;
            // Poll only one time: this call need not apply invalidations that arrive later.
            tracking.poll(Duration.ZERO).ifPresent(this::apply);
        } catch (ConnectException e) {
            slots.clear(); // Tracking has ended and is never established again.
        } catch (Throwable e) {
            slots.clear(); // Taken invalidations may be lost, so drop all entries.
            throw e;
        } finally {
            behind = false;
            applying.unlock();
        }
    }

    private void apply(Invalidation invalidation) {
        switch (invalidation) {
            case Invalidation.Everything everything -> slots.clear();
            case Invalidation.ChangedKeys changed -> {
                for (String key : changed.keys()) {
                    if (key.startsWith(prefix)) {
                        slots.remove(key.substring(prefix.length()));
                    } else {
                        slots.clear(); // The prefix differs, so any entry may be invalid.
                    }
                }
            }
        }
    }
}
