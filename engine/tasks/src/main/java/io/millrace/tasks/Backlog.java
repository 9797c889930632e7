// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Holds the tasks that were produced and not yet started. In most flows all of these tasks are in the buffer, and the
 * capacity of the buffer limits their number. In some flows tasks also wait outside the buffer: behind a task of the
 * same key, or as results that wait for their turn. There a {@link CapacityLimit} limits the number of tasks.
 */
final class Backlog<T> {

    private final Buffer<Entry<T>> buffer;
    private final @Nullable CapacityLimit capacityLimit;
    private final @Nullable KeyOrder<T> keys;

    /**
     * Whether the flow returns results in the order of production. A task then occupies capacity until the reader takes
     * its result.
     */
    private final boolean ordered;

    /**
     * A producer holds this lock while it adds a whole batch, so that tasks are numbered in the order of the buffer.
     */
    private final ReentrantLock numbering = new ReentrantLock();

    /** Guarded by {@link #numbering}. */
    private long nextNumber;

    private volatile boolean dropped;

    /** Number of sources that fetch no further batch until consumers have taken the fetched tasks. */
    private final AtomicInteger waitingSources = new AtomicInteger();

    Backlog(
            Buffer<Entry<T>> buffer,
            @Nullable CapacityLimit capacityLimit,
            @Nullable KeyOrder<T> keys,
            boolean ordered) {
        this.buffer = buffer;
        this.capacityLimit = capacityLimit;
        this.keys = keys;
        this.ordered = ordered;
    }

    /**
     * Adds entries in their order and waits for free capacity.
     *
     * @return number of entries added, which is smaller than the size of the list only if the backlog was dropped
     */
    int add(List<Entry<T>> entries, int lane) {
        if (!ordered) {
            return addAll(entries, lane);
        }
        numbering.lock();
        try {
            return addAll(entries, lane);
        } finally {
            numbering.unlock();
        }
    }

    private int addAll(List<Entry<T>> entries, int lane) {
        if (capacityLimit == null) {
            return buffer.put(entries, lane);
        }
        int added = 0;
        while (added < entries.size() && capacityLimit.enter()) {
            Entry<T> entry = entries.get(added);
            if (ordered) {
                entry.number = nextNumber++;
            }
            if (isFirstOfItsKey(entry) && !buffer.put(entry, lane + added)) {
                break;
            }
            added++;
        }
        return added;
    }

    /**
     * Whether the task need not wait for another task of its key. If the key cannot be compared, the task fails without
     * waiting.
     */
    private boolean isFirstOfItsKey(Entry<T> entry) {
        try {
            return keys == null || entry.key == null || keys.enter(entry);
        } catch (Throwable e) {
            entry.key = null;
            entry.failure = e;
            return true;
        }
    }

    /** Waits for and returns the next entry, which the worker of this lane then owns, or null if the flow is ending. */
    @Nullable
    Entry<T> take(int lane) {
        while (true) {
            try {
                return started(buffer.take(lane));
            } catch (InterruptedException e) {
                // An interrupt between two tasks has no meaning: closing the buffer ends the workers.
            }
        }
    }

    /**
     * Same as {@link #take(int)}, but waits only while {@code nanosLeft} is positive and no source waits for capacity.
     * The tasks that the caller has collected may occupy this capacity. Returns null if the wait ended without an
     * entry.
     */
    @Nullable
    Entry<T> take(int lane, LongSupplier nanosLeft) {
        while (true) {
            try {
                return started(buffer.take(lane, nanosLeft, this::isSourceWaiting));
            } catch (InterruptedException e) {
                // An interrupt has no meaning here, as in take(int).
            }
        }
    }

    private boolean isSourceWaiting() {
        return waitingSources.get() > 0 || (capacityLimit != null && capacityLimit.hasWaiting());
    }

    /**
     * Called when a source starts to wait until consumers have taken its last batch. Workers that collect a batch then
     * stop waiting for more tasks.
     */
    void sourceStartsWaiting() {
        waitingSources.incrementAndGet();
        buffer.wakeTakers();
    }

    void sourceStopsWaiting() {
        waitingSources.decrementAndGet();
    }

    /** Returns the next task of the same key after {@code settled}, or null if there is none. */
    @Nullable
    Entry<T> nextOfKey(Entry<T> settled) {
        return keys == null || dropped || settled.key == null ? null : started(keys.leave(settled));
    }

    private @Nullable Entry<T> started(@Nullable Entry<T> entry) {
        if (entry != null) {
            if (entry.lastOfBatch) {
                entry.producer.batchTaken();
            }
            if (capacityLimit != null && !ordered) {
                capacityLimit.leave();
            }
        }
        return entry;
    }

    /** Frees the capacity of one task. Called when the reader of ordered results has taken its result. */
    void resultTaken() {
        if (capacityLimit != null) {
            capacityLimit.leave();
        }
    }

    /** Ends the waits of workers for further tasks. Called when all producers have ended. */
    void close() {
        buffer.close();
    }

    /** From now on, the backlog refuses new entries, and workers receive no more entries. */
    void drop() {
        dropped = true;
        buffer.drop();
        if (capacityLimit != null) {
            capacityLimit.drop();
        }
    }

    /** Returns the tasks that were never started. Called when all producers and workers have ended. */
    List<Entry<T>> removeRemaining() {
        List<Entry<T>> left = new ArrayList<>(buffer.removeRemaining());
        if (keys != null) {
            left.addAll(keys.removeRemaining());
        }
        return left;
    }
}
