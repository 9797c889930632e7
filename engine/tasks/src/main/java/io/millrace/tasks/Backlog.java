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
 * capacity of the buffer limits their number. Two kinds of flow also need a {@link CapacityLimit}:
 *
 * <ul>
 *   <li>a flow with keys, because a task also waits outside the buffer until the earlier tasks of its key are settled;
 *   <li>a flow with ordered results, because a started task also counts until the reader has taken its result.
 * </ul>
 */
final class Backlog<T> {

    private final Buffer<Entry<T>> buffer;
    private final @Nullable CapacityLimit capacityLimit;
    private final @Nullable KeyOrder<T> keys;

    /**
     * Whether the flow returns results in the order of production. If it does, a task occupies capacity until the
     * reader has taken the result of the task.
     */
    private final boolean ordered;

    /**
     * Used only if results are ordered. A producer holds this lock while it numbers the tasks of a batch and adds them.
     * So the tasks of a batch have consecutive numbers.
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
     * Returns true if the task need not wait for an earlier task of the same key. Also returns true if {@code hashCode}
     * or {@code equals} of the key throws an exception: the task then fails with this exception.
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

    /**
     * Waits for the next entry and returns it. The worker of this lane then owns the entry. Returns null if there is no
     * further entry for the worker: either the backlog was dropped, or it is closed and empty.
     */
    @Nullable
    Entry<T> take(int lane) {
        while (true) {
            try {
                return started(buffer.take(lane));
            } catch (InterruptedException e) {
                // Ignore an interrupt between two tasks. A worker ends when the buffer is closed or dropped.
            }
        }
    }

    /**
     * Same as {@link #take(int)}, but the wait also ends when {@code nanosLeft} is no longer positive, or when a source
     * waits for capacity. Returns null if the wait ended without an entry.
     *
     * <p>The caller collects a batch. Its collected tasks occupy capacity, and a waiting source may need exactly this
     * capacity. So the caller must execute its batch and must not wait for tasks of this source.
     */
    @Nullable
    Entry<T> take(int lane, LongSupplier nanosLeft) {
        while (true) {
            try {
                return started(buffer.take(lane, nanosLeft, this::isSourceWaiting));
            } catch (InterruptedException e) {
                // Ignore the interrupt, as in take(int).
            }
        }
    }

    private boolean isSourceWaiting() {
        return waitingSources.get() > 0 || (capacityLimit != null && capacityLimit.hasWaiting());
    }

    /**
     * Called when a source must wait, because consumers have not yet taken the tasks that it has fetched. A worker that
     * is collecting a batch then stops waiting for more tasks, and executes its batch.
     */
    void sourceStartsWaiting() {
        waitingSources.incrementAndGet();
        buffer.wakeTakers();
    }

    void sourceStopsWaiting() {
        waitingSources.decrementAndGet();
    }

    /** Returns the next task with the key of the task {@code settled}. Returns null if no such task waits. */
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

    /** Frees the capacity of one task. Called when the reader of ordered results has taken the result of the task. */
    void resultTaken() {
        if (capacityLimit != null) {
            capacityLimit.leave();
        }
    }

    /** Called when all producers have ended. Workers take the remaining tasks and do not wait for further tasks. */
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
