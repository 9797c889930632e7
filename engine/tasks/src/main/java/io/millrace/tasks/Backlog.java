// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What was produced and is not begun: the buffer, and in front of it whatever else a flow asks for. The buffer bounds the tasks by
 * itself; a {@link Room} does where tasks wait elsewhere too (for those of the same key, or as results that are not their turn)
 * or are weighed.
 */
final class Backlog<T> {

    private final Buffer<Entry<T>> buffer;
    private final @Nullable Room room;
    private final @Nullable KeyOrder<T> keys;

    /** Whether results are in order: then a task has its room until its result was taken. */
    private final boolean ordered;

    /** Held for a whole batch, so that tasks are numbered in the order in which they are in the buffer. */
    private final ReentrantLock numbering = new ReentrantLock();

    /** Guarded by {@link #numbering}. */
    private long nextNumber;

    private volatile boolean dropped;

    /** Sources that fetch nothing more before what they have fetched is taken. */
    private final AtomicInteger waitingSources = new AtomicInteger();

    Backlog(Buffer<Entry<T>> buffer, @Nullable Room room, @Nullable KeyOrder<T> keys, boolean ordered) {
        this.buffer = buffer;
        this.room = room;
        this.keys = keys;
        this.ordered = ordered;
    }

    /**
     * Adds entries in their order, waiting for room.
     *
     * @return how many; fewer than there are if no more are taken
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
        if (room == null) {
            return buffer.put(entries, lane);
        }
        int added = 0;
        while (added < entries.size() && room.enter(entries.get(added).weight)) {
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

    /** A key that cannot be compared fails its task, which then waits for no other. */
    private boolean isFirstOfItsKey(Entry<T> entry) {
        try {
            return keys == null || entry.key == null || keys.enter(entry);
        } catch (Throwable e) {
            entry.key = null;
            entry.failure = e;
            return true;
        }
    }

    /** The next entry for the worker of this lane, now its own; waits for one. Null if there will be none. */
    @Nullable
    Entry<T> take(int lane) {
        while (true) {
            try {
                return begun(buffer.take(lane));
            } catch (InterruptedException e) {
                // Of no meaning between two tasks: the flow ends its workers by closing the buffer.
            }
        }
    }

    /** The same, but waits no longer than {@code nanos}, nor while a source waits for room: what is collected may have it. */
    @Nullable
    Entry<T> take(int lane, long nanos) {
        long until = System.nanoTime() + nanos;
        while (true) {
            try {
                return begun(buffer.take(lane, until - System.nanoTime(), this::isFull));
            } catch (InterruptedException e) {
                // As above.
            }
        }
    }

    private boolean isFull() {
        return waitingSources.get() > 0 || (room != null && room.isFull());
    }

    /** A source begins to wait until its last batch is taken: who collects is not to wait for more from it. */
    void sourceWaits() {
        waitingSources.incrementAndGet();
        buffer.wakeTakers();
    }

    void sourceGoesOn() {
        waitingSources.decrementAndGet();
    }

    /** The next of the same key, once {@code settled} is; null if there is none. */
    @Nullable
    Entry<T> following(Entry<T> settled) {
        return keys == null || dropped || settled.key == null ? null : begun(keys.leave(settled));
    }

    private @Nullable Entry<T> begun(@Nullable Entry<T> entry) {
        if (entry != null) {
            if (entry.lastOfBatch) {
                entry.feed.batchTaken();
            }
            if (room != null) {
                room.leave(ordered ? 0 : 1, entry.weight);
            }
        }
        return entry;
    }

    /** A result was taken by whoever wanted them in order. */
    void resultTaken() {
        if (room != null) {
            room.leave(1, 0);
        }
    }

    /** Says that all feeds have ended. */
    void close() {
        buffer.close();
    }

    /** Nothing is added or taken any more. */
    void drop() {
        dropped = true;
        buffer.drop();
        if (room != null) {
            room.drop();
        }
    }

    /** What was never begun; called when all feeds and workers have ended. */
    List<Entry<T>> leftOver() {
        List<Entry<T>> left = new ArrayList<>(buffer.leftOver());
        if (keys != null) {
            left.addAll(keys.leftOver());
        }
        return left;
    }
}
