// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The tasks that were produced and not yet started: the buffer, and the optional steps in front of it. The buffer alone
 * limits the number of tasks in most flows. A {@link CapacityLimit} limits it where tasks also wait outside the buffer, either
 * behind a task of the same key or as results that wait for their turn.
 */
final class Backlog<T> {

    private final Buffer<Entry<T>> buffer;
    private final @Nullable CapacityLimit capacityLimit;
    private final @Nullable KeyOrder<T> keys;

    /** Whether results are in order. If so, a task occupies capacity until its result was taken. */
    private final boolean ordered;

    /** Held while a whole batch is added, so that numbers follow the order of tasks in the buffer. */
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

    /** A task whose key cannot be compared fails and waits for no other task. */
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
     * Same as above, but waits only while {@code nanosLeft} is positive, and not while a source waits for capacity, which the collected
     * tasks may occupy.
     */
    @Nullable
    Entry<T> take(int lane, LongSupplier nanosLeft) {
        while (true) {
            try {
                return started(buffer.take(lane, nanosLeft, this::isSourceWaiting));
            } catch (InterruptedException e) {
                // As above.
            }
        }
    }

    private boolean isSourceWaiting() {
        return waitingSources.get() > 0 || (capacityLimit != null && capacityLimit.hasWaiting());
    }

    /**
     * A source starts to wait until its last batch is taken. Workers that collect a batch stop waiting for its tasks.
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

    /** The reader of ordered results took a result. */
    void resultTaken() {
        if (capacityLimit != null) {
            capacityLimit.leave();
        }
    }

    /** Ends the waits of workers. Called when all producers have ended. */
    void close() {
        buffer.close();
    }

    /** Refuses further entries and returns none any more. */
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
