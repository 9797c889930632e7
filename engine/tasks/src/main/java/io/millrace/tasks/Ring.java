// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import org.jspecify.annotations.Nullable;

/*
 * DESIGN
 *
 * Dmitry Vyukov's bounded queue for many producers and many consumers. The n-th element lives in the slot of n, the same one a lap
 * later, and each slot has a turn, which says whose it is:
 *
 *     turn == n               free for the n-th element
 *     turn == n + 1           holds the n-th element
 *     turn == n + length      free for the element one lap later
 *
 * Who adds moves the tail with a compare-and-set and then has the slot for itself until it sets the turn; who takes does the
 * same with the head. So one atomic operation a side, and nobody waits: a slot that its owner has moved to, but not finished, looks
 * full to those who add and empty to those who take. Whoever finishes a slot looks for waiting threads afterwards (see Buffer).
 *
 * Slots of neighbours lie far apart (n times an odd stride, mod length), so that threads which take one after the other do not write to
 * one cache line. That is worth a quarter of the time of a task that does nothing.
 *
 * The length is a power of two, the capacity any number below it: who adds counts. The head is read for that only when the one
 * that was seen last would make the ring full.
 */

/**
 * A bounded queue that never blocks, for any number of threads at both ends.
 *
 * @param <E> an element
 */
final class Ring<E> {

    private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);

    /** Where head and tail are in {@link #ends}: on cache lines of their own. */
    private static final int HEAD = 16;

    private static final int HEAD_SEEN = 32;
    private static final int TAIL = 48;
    private static final int ENDS = 64;

    /** Odd, so that each slot is somebody's; and more than a cache line of turns, or of elements. */
    private static final int STRIDE = 17;

    private final int capacity;
    private final int mask;

    /** Head and tail by compare-and-set of anybody; the head that was seen last by whoever adds. */
    private final long[] ends = new long[ENDS];

    /** A slot's turn: set by whoever has the slot. */
    private final long[] turns;

    /** By whoever has the slot; handed over by its turn. */
    private final @Nullable Object[] elements;

    Ring(int capacity) {
        int length = Math.max(2, Integer.highestOneBit(capacity - 1) << 1); // with one slot, full and free look alike
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
     * Adds the first elements of {@code list}, as many as there is room for. What was done before is seen by
     * whoever takes one.
     *
     * @return how many
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
                VarHandle.fullFence(); // before whoever waits is looked for
                return count;
            }
        }
    }

    /** How many slots from {@code tail} on are free, at most {@code wanted}. They stay so for as long as the tail does. */
    private int free(long tail, int wanted) {
        int most = Math.min(wanted, room(tail, wanted));
        int free = 0;
        while (free < most && (long) LONGS.getAcquire(turns, slot(tail + free)) == tail + free) {
            free++;
        }
        return free;
    }

    /** The oldest element; null if there is none. */
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

    /** Where the element of this number lives. */
    private int slot(long number) {
        return (int) (number * STRIDE) & mask;
    }

    /** Whether {@link #poll} would have found an element. */
    boolean hasNext() {
        long head = (long) LONGS.getVolatile(ends, HEAD);
        return (long) LONGS.getVolatile(turns, slot(head)) > head;
    }

    /** How many elements it has, 0 to its capacity; those that are being added or taken count. */
    int size() {
        long head = (long) LONGS.getVolatile(ends, HEAD);
        long tail = (long) LONGS.getVolatile(ends, TAIL);
        return Math.clamp(tail - head, 0, capacity);
    }

    private int room(long tail, int wanted) {
        long used = tail - (long) LONGS.getOpaque(ends, HEAD_SEEN); // the head only grows
        if (used + wanted > capacity) {
            long head = (long) LONGS.getVolatile(ends, HEAD);
            LONGS.setOpaque(ends, HEAD_SEEN, head);
            used = tail - head;
        }
        return (int) Math.max(0, capacity - used);
    }
}
