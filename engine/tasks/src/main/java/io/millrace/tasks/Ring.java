// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import org.jspecify.annotations.Nullable;

/*
 * DESIGN
 *
 * This is Dmitry Vyukov's bounded queue for many producers and many consumers. Element n lives in the slot of n, and
 * the same slot is used again one lap later. Each slot has a turn, which tells its state:
 *
 *     turn == n               free for element n
 *     turn == n + 1           holds element n
 *     turn == n + length      free for the element one lap later
 *
 * A thread that adds moves the tail with a compare-and-set. It then owns the slot until it sets the turn. A thread that
 * takes does the same with the head. So each side needs one atomic operation, and no thread waits: a slot that its
 * owner has claimed but not finished looks full to threads that add, and empty to threads that take. A thread that has
 * finished a slot looks for waiting threads afterwards (see Buffer).
 *
 * Neighbouring elements are in distant slots (n times an odd stride, mod length), so that threads which take one after
 * the other do not write to the same cache line. This saves a quarter of the time of a task that does nothing.
 *
 * The length is a power of two, and the capacity is at most the length, so threads that add count the elements. They
 * read the head only if the last head that they read would make the ring full.
 */

/**
 * A bounded queue that never blocks. Any number of threads may add and take.
 *
 * @param <E> type of an element
 */
final class Ring<E> {

    private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);

    /**
     * Index of the head in {@link #ends}. The three indexes HEAD, HEAD_SEEN and TAIL are so far apart that their values
     * are in separate cache lines.
     */
    private static final int HEAD = 16;

    private static final int HEAD_SEEN = 32;
    private static final int TAIL = 48;
    private static final int ENDS = 64;

    /**
     * Distance between the slots of consecutive elements. The stride is odd, so that every slot is used. The stride is
     * also large: consecutive elements, and the turns of their slots, are in different cache lines.
     */
    private static final int STRIDE = 17;

    private final int capacity;
    private final int mask;

    /**
     * Contains the head, the tail, and the last value of the head that an adding thread has read. The head and the tail
     * are changed by compare-and-set.
     */
    private final long[] ends = new long[ENDS];

    /**
     * The turn of each slot: a number that says whether the slot is free or holds an element. The design comment lists
     * its values. Only the owner of a slot sets the turn of the slot.
     */
    private final long[] turns;

    /**
     * The element of each slot. The owner of a slot writes the element, and then sets the turn, which publishes the
     * element.
     */
    private final @Nullable Object[] elements;

    Ring(int capacity) {
        int length = Math.max(
                2, Integer.highestOneBit(capacity - 1) << 1); // with one slot, full and free would look the same
        this.capacity = capacity;
        this.mask = length - 1;
        this.turns = new long[length];
        this.elements = new Object[length];
        for (int i = 0; i < length; i++) {
            turns[slot(i)] = i;
        }
    }

    int capacity() {
        return capacity;
    }

    /**
     * Adds the first elements of {@code list}, up to the number of free slots. All writes of the calling thread before
     * this call are visible to the thread that takes an element.
     *
     * @return number of elements added
     */
    int offer(List<? extends E> list) {
        while (true) {
            long tail = (long) LONGS.getVolatile(ends, TAIL);
            int count = free(tail, list.size());
            if (LONGS.compareAndSet(ends, TAIL, tail, tail + count)) {
                for (int i = 0; i < count; i++) {
                    int slot = slot(tail + i);
                    elements[slot] = list.get(i);
                    LONGS.setRelease(turns, slot, tail + i + 1);
                }
                VarHandle.fullFence(); // before the check for waiting threads
                return count;
            }
        }
    }

    /**
     * Number of free slots from {@code tail} on, at most {@code wanted}. The slots stay free as long as the tail does
     * not move.
     */
    private int free(long tail, int wanted) {
        int max = Math.min(wanted, freeCapacity(tail, wanted));
        int free = 0;
        while (free < max && (long) LONGS.getAcquire(turns, slot(tail + free)) == tail + free) {
            free++;
        }
        return free;
    }

    /** Removes and returns the oldest element, or null if there is none. */
    @SuppressWarnings("unchecked")
    @Nullable
    E poll() {
        while (true) {
            long head = (long) LONGS.getVolatile(ends, HEAD);
            int slot = slot(head);
            long turn = (long) LONGS.getVolatile(turns, slot);
            if (turn == head + 1) {
                if (LONGS.compareAndSet(ends, HEAD, head, head + 1)) {
                    E element = (E) elements[slot];
                    elements[slot] = null;
                    LONGS.setRelease(turns, slot, head + mask + 1);
                    return element;
                }
            } else if (turn < head + 1) {
                return null;
            }
        }
    }

    /** Slot of the element with this number. */
    private int slot(long number) {
        return (int) (number * STRIDE) & mask;
    }

    /** Whether {@link #poll} would find an element. */
    boolean hasNext() {
        long head = (long) LONGS.getVolatile(ends, HEAD);
        return (long) LONGS.getVolatile(turns, slot(head)) > head;
    }

    /** Number of elements, 0 to the capacity, including those that are being added or taken. */
    int size() {
        long head = (long) LONGS.getVolatile(ends, HEAD);
        long tail = (long) LONGS.getVolatile(ends, TAIL);
        return Math.clamp(tail - head, 0, capacity);
    }

    private int freeCapacity(long tail, int wanted) {
        long used = tail - (long) LONGS.getOpaque(ends, HEAD_SEEN); // the head only grows
        if (used + wanted > capacity) {
            long head = (long) LONGS.getVolatile(ends, HEAD);
            LONGS.setOpaque(ends, HEAD_SEEN, head);
            used = tail - head;
        }
        return (int) Math.max(0, capacity - used);
    }
}
