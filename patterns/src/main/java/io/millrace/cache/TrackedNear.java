// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.client.ConnectException;
import io.millrace.client.Invalidation;
import io.millrace.client.RedisClient;
import io.millrace.client.Tracking;
import io.millrace.client.TrackingOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/*
 * DESIGN
 *
 *     find:   tracking established?  --no-->  nothing here
 *             anything told and not applied?  --yes-->  apply it, or wait for who does
 *             look into the slots
 *
 * So whatever was told before a look-up began is applied when it looks, and there is no thread: whoever comes first applies what
 * has been told to all. While nobody comes it is added up, and takes no more room than the buffer has.
 *
 * An invalidation may arrive between Redis's answer and its being kept. Therefore there is a slot before Redis is asked, if only a
 * mark; an invalidation removes it; and an answer is only kept in the place of the very slot that was there:
 *
 *     begin  mark k            GET k -> 1                            keep 1: the mark is gone, so it is not kept
 *     -------------------------------------------------------------------->
 *     another client              SET k 2  -> invalidate k: no mark
 *
 * A write that was told before the slot was there had happened before the GET was sent, so the answer has it. Those who ask for the
 * same key at the same time have the same slot, and whoever is answered first keeps: if each made its own there would never be
 * one that lasts, with a key that many ask for.
 */

/** A near cache that the server keeps true by telling which keys change. */
final class TrackedNear<V> implements Near<V> {

    private final Tracking tracking;

    /** In front of each key, in Redis. */
    private final String prefix;

    private final ConcurrentMap<String, Slot<V>> slots;
    private final ReentrantLock applying = new ReentrantLock();

    /** Whether something has been taken that is not applied yet; written with the lock. */
    private volatile boolean behind;

    /**
     * Over {@code tracking}, which it closes.
     *
     * @param prefix of the keys in Redis, before {@code key}
     * @param slots empty, with a limit of its own, and an end to each entry's time
     */
    TrackedNear(Tracking tracking, String prefix, ConcurrentMap<String, Slot<V>> slots) {
        this.tracking = tracking;
        this.prefix = prefix;
        this.slots = slots;
    }

    /**
     * Opens a near cache as {@code options} say.
     *
     * @throws ConnectException if the server cannot be reached, or does not tell which keys change
     * @throws IllegalStateException if Caffeine is not on the class path
     */
    static <V> Near<V> open(RedisClient client, String prefix, NearOptions options, Surroundings surroundings) {
        if (options.limit() == NearOptions.Limit.NOTHING) {
            return Near.none();
        }
        ConcurrentMap<String, Slot<V>> slots;
        try {
            slots = CaffeineSlots.limited(options, surroundings);
        } catch (NoClassDefFoundError e) {
            throw new IllegalStateException(
                    "a near cache cannot be opened: Caffeine is not on the class path. Add com.github.ben-manes.caffeine:caffeine.",
                    e);
        }
        TrackingOptions tracked = new TrackingOptions(List.of(prefix), options.quiet(), options.buffer());
        return new TrackedNear<>(client.track(tracked), prefix, slots);
    }

    @Override
    public @Nullable Entry<V> find(String key) {
        // First: "established again" is said after "everything" was told, which is then applied below.
        if (!tracking.isEstablished()) {
            return null;
        }
        catchUp();
        Slot<V> slot = slots.get(key);
        return slot == null ? null : slot.entry();
    }

    @Override
    public Ticket begin(String key) {
        Slot<V> mark = Slot.mark(key);
        // A change of a key that is not itself in UTF-8 would be told by another name.
        Slot<V> before = tracking.isEstablished() && WellFormed.test(key) ? slots.putIfAbsent(key, mark) : null;
        return before == null ? mark : before;
    }

    @Override
    public void keep(Ticket ticket, Entry<V> entry) {
        Slot<V> begun = slotOf(ticket);
        if (tracking.isEstablished()) {
            slots.replace(begun.key(), begun, begun.with(entry));
        } else {
            abandon(ticket);
        }
    }

    @Override
    public void abandon(Ticket ticket) {
        Slot<V> begun = slotOf(ticket);
        slots.remove(begun.key(), begun);
    }

    @SuppressWarnings("unchecked") // It is one of ours.
    private Slot<V> slotOf(Ticket ticket) {
        return (Slot<V>) ticket;
    }

    @Override
    public void forget(String key) {
        slots.remove(key);
    }

    @Override
    public boolean isDown() {
        return !tracking.isEstablished();
    }

    @Override
    public void close() {
        tracking.close();
        slots.clear();
    }

    /** Returns when all that had been told before the call is applied. */
    private void catchUp() {
        // In this order: what does not wait any more has been taken, by somebody who said before that he is behind.
        if (tracking.waiting() == 0 && !behind) {
            return;
        }
        applying.lock();
        try {
            behind = true;
            // Once: what is told from now on is not for this call.
            tracking.poll(Duration.ZERO).ifPresent(this::apply);
        } catch (ConnectException e) {
            slots.clear(); // It has ended for good, and is established no more.
        } catch (Throwable e) {
            slots.clear(); // What was taken may be lost: so it was everything.
            throw e;
        } finally {
            behind = false;
            applying.unlock();
        }
    }

    private void apply(Invalidation invalidation) {
        switch (invalidation) {
            case Invalidation.Everything everything -> slots.clear();
            case Invalidation.Keys changed -> {
                for (String key : changed.keys()) {
                    if (key.startsWith(prefix)) {
                        slots.remove(key.substring(prefix.length()));
                    } else {
                        slots.clear(); // Told by another name than it is asked for by, it may be any of them.
                    }
                }
            }
        }
    }
}
