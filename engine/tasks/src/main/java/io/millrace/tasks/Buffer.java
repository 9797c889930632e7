// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/*
 * DESIGN
 *
 * One or more rings, called lanes, stand between the threads that put and the threads that take. With one lane all
 * threads share it, and elements are taken in the order in which they were put. With one lane per taker, a taker looks
 * into its own lane first and then into the lanes of the others: it steals.
 *
 *     put -> lane 0 [ . . . . ] -> taker 0        finds its own lane empty
 *        \-> lane 1 [ . . . . ] -> taker 1  <---- looks into the next lane, and so on
 *
 * Waking a thread costs a hundred times as much as handing over an element, so threads are woken as rarely as possible:
 *
 *   - A taker that finds no element keeps looking for a while, as a "seeker". While there is a seeker, no taker is
 *     woken, because the seeker will find the element. The last seeker that leaves wakes the next taker if elements
 *     remain. A seeker that gives up leaves the count of seekers before its last look. So either the seeker sees an
 *     element that is put at that moment, or the putter sees the waiting taker.
 *   - Threads that wait for free slots are woken only when a quarter of a lane is free.
 *
 * WaitQueue describes waiting and waking. All fields that its conditions read are volatile.
 */

/**
 * A bounded buffer between threads that put and threads that take.
 *
 * @param <E> type of an element
 */
final class Buffer<E> {

    /**
     * A seeker is a taker that searches all lanes for an element before it parks. This constant is the maximum number
     * of searches of a seeker. The seeker spins between two searches, and after every fourth search it also calls
     * {@code Thread.yield}.
     */
    private static final int LOOKS = 16;

    private static final int LOOKS_PER_YIELD = 4;
    private static final int SPINS = 4;

    private enum Phase {
        /** Threads put and take elements. */
        OPEN,
        /** No thread waits any more, but remaining elements can be taken. */
        CLOSED,
        /** No thread puts or takes any more. */
        DROPPED
    }

    private final List<Ring<E>> lanes;
    private final WaitQueue takers = new WaitQueue();
    private final WaitQueue putters = new WaitQueue();
    private final AtomicInteger seekers = new AtomicInteger();

    private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.OPEN);

    /** Creates a buffer for {@code capacity} elements in {@code laneCount} lanes, with at least one slot per lane. */
    Buffer(int capacity, int laneCount) {
        this.lanes = IntStream.range(0, laneCount)
                .mapToObj(lane -> new Ring<E>(Math.max(1, share(capacity, lane, laneCount))))
                .toList();
    }

    private static int share(int capacity, int lane, int laneCount) {
        return capacity / laneCount + (lane < capacity % laneCount ? 1 : 0);
    }

    /** Number of elements in the buffer. */
    int size() {
        return lanes.stream().mapToInt(Ring::size).sum();
    }

    /**
     * Puts elements and waits for free slots. The elements are spread over the lanes in equal shares, starting with
     * {@code lane}. If there is only one lane, the elements keep their order. An interrupt does not end the wait.
     *
     * @return number of elements put. This number is smaller than the size of the list in two cases only: the buffer
     *     was dropped, or it was full after it was closed
     */
    int put(List<? extends E> elements, int lane) {
        int share = (elements.size() + lanes.size() - 1) / lanes.size();
        int put = 0;
        for (int turn = 0; put < elements.size() && phase.get() != Phase.DROPPED; turn++) {
            int added = offer(elements.subList(put, Math.min(put + share, elements.size())), lane + turn);
            put += added;
            if (added > 0 && takers.hasWaiting() && seekers.get() == 0) {
                takers.wakeOne(); // the woken taker wakes the next taker if there are more elements
            } else if (added == 0 && phase.get() == Phase.CLOSED) {
                break;
            } else if (added == 0) {
                putters.awaitUninterruptibly(() -> phase.get() != Phase.OPEN || hasFreeSlots());
            }
        }
        return put;
    }

    /** Puts one element and returns whether the buffer accepted it. */
    boolean put(E element, int lane) {
        return put(List.of(element), lane) == 1;
    }

    private int offer(List<? extends E> elements, int lane) {
        for (int i = 0; i < lanes.size(); i++) {
            int offered = ring(lane + i).offer(elements);
            if (offered > 0) {
                return offered;
            }
        }
        return 0;
    }

    /** Whether enough slots are free to wake the threads that wait for free slots. */
    private boolean hasFreeSlots() {
        for (Ring<E> lane : lanes) {
            if (hasFreeQuarter(lane)) {
                return true;
            }
        }
        return false;
    }

    private static boolean hasFreeQuarter(Ring<?> lane) {
        return lane.size() <= lane.capacity() - (lane.capacity() + 3) / 4;
    }

    /**
     * Waits for the next element and returns it to the taker of this lane. Returns null in two cases: the buffer was
     * dropped, or it is closed and empty.
     */
    @Nullable
    E take(int lane) throws InterruptedException {
        E element = poll(lane);
        while (element == null) {
            boolean ending = phase.get() != Phase.OPEN; // read first, so that elements put before the close are found
            element = seek(lane);
            if (element == null && ending) {
                return null;
            }
            if (element == null) {
                takers.await(this::hasElementOrEnd);
            }
        }
        return element;
    }

    /**
     * Same as {@link #take(int)}, but the wait also ends when {@code nanosLeft} is no longer positive, or when {@code
     * hurry} is true. Returns null if the wait ended without an element.
     */
    @Nullable
    E take(int lane, LongSupplier nanosLeft, BooleanSupplier hurry) throws InterruptedException {
        E element = poll(lane);
        if (element != null || nanosLeft.getAsLong() <= 0) {
            return element;
        }
        while (true) {
            boolean ending = phase.get() != Phase.OPEN;
            element = seek(lane); // also after the last wait, because this taker may have been woken for an element
            if (element != null || ending || nanosLeft.getAsLong() <= 0 || hurry.getAsBoolean()) {
                return element;
            }
            takers.await(() -> hasElementOrEnd() || hurry.getAsBoolean(), nanosLeft);
        }
    }

    /** Wakes all waiting takers, so that they check their conditions again. */
    void wakeTakers() {
        takers.wakeAll();
    }

    private boolean hasElementOrEnd() {
        return phase.get() != Phase.OPEN || hasNext();
    }

    private @Nullable E seek(int lane) {
        boolean alone = seekers.getAndIncrement() == 0;
        try {
            E element = poll(lane);
            for (int look = 1; element == null && alone && look < LOOKS; look++) {
                pause(look);
                element = poll(lane);
            }
            return element;
        } finally {
            if (seekers.decrementAndGet() == 0 && takers.hasWaiting() && hasNext()) {
                takers.wakeOne(); // putters wake no taker while there is a seeker
            }
        }
    }

    /**
     * Waits before a search. Each wait is a little longer than the previous wait. Without these waits, a taker would
     * read the cache line of each new element immediately. The putting thread would then lose this cache line before it
     * puts the next element.
     */
    @SuppressWarnings("ThreadPriorityCheck") // only a hint; it saves time
    private static void pause(int look) {
        if (look % LOOKS_PER_YIELD == 0) {
            Thread.yield();
        }
        for (int i = 0; i < look * SPINS; i++) {
            Thread.onSpinWait();
        }
    }

    /**
     * Returns an element from this lane or, if this lane is empty, from another lane. Returns null if all lanes are
     * empty, or if the buffer was dropped.
     */
    @Nullable
    E poll(int lane) {
        if (phase.get() == Phase.DROPPED) {
            return null;
        }
        for (int i = 0; i < lanes.size(); i++) {
            Ring<E> ring = ring(lane + i);
            E element = ring.poll();
            if (element != null) {
                if (putters.hasWaiting() && hasFreeQuarter(ring)) {
                    putters.wakeAll();
                }
                return element;
            }
        }
        return null;
    }

    private Ring<E> ring(int lane) {
        int count = lanes.size();
        return lanes.get(count == 1 ? 0 : Integer.remainderUnsigned(lane, count));
    }

    private boolean hasNext() {
        for (Ring<E> lane : lanes) {
            if (lane.hasNext()) {
                return true;
            }
        }
        return false;
    }

    /** Ends the waits of all putters and takers. Remaining elements can still be taken. */
    void close() {
        phase.compareAndSet(Phase.OPEN, Phase.CLOSED);
        wakeAll();
    }

    /** Ends the waits of all putters and takers. After that, no element is put or taken any more. */
    void drop() {
        phase.set(Phase.DROPPED);
        wakeAll();
    }

    private void wakeAll() {
        takers.wakeAll();
        putters.wakeAll();
    }

    /**
     * Removes and returns the elements that remained after {@link #drop}. Called after all putters and takers have
     * ended.
     */
    List<E> removeRemaining() {
        List<E> left = new ArrayList<>();
        for (Ring<E> lane : lanes) {
            for (E element = lane.poll(); element != null; element = lane.poll()) {
                left.add(element);
            }
        }
        return left;
    }
}
