// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/*
 * DESIGN
 *
 * What is between those who put and those who take is one or more rings, called lanes. With one lane everybody shares it, and
 * elements are taken in the order in which they were put. With a lane for each taker, who takes looks into its own lane first and
 * then into the others': it steals.
 *
 *     put -> lane 0 [ . . . . ] -> taker 0        who finds its own lane empty
 *        \-> lane 1 [ . . . . ] -> taker 1  <---- looks into the next, and round
 *
 * Waking a thread costs a hundred times as much as handing over an element, so it is done as rarely as can be:
 *
 *   - A taker that finds nothing goes on looking for a while, as a "seeker". While there is a seeker nobody is woken: it will find
 *     the element. A seeker that finds something, and was the last, wakes the next taker if there is more. One that gives up is no
 *     seeker any more before it looks a last time, so what is put in between is seen by it, or it by who puts.
 *   - Those who wait for room are woken only when a quarter of the lane is free.
 *
 * Waiting and waking: see Parking. All fields that its conditions read are volatile.
 */

/**
 * A bounded buffer between threads that put and threads that take.
 *
 * @param <E> an element
 */
final class Buffer<E> {

    /** How often a seeker looks before it parks, and how often in between it lets other threads run. */
    private static final int LOOKS = 16;

    private static final int LOOKS_PER_YIELD = 4;
    private static final int SPINS = 4;

    private enum Phase {
        /** Elements may be put and taken. */
        OPEN,
        /** Nobody waits any more; what is here may be taken. */
        CLOSED,
        /** Nothing is put or taken any more. */
        DROPPED
    }

    private final List<Ring<E>> lanes;
    private final Parking takers = new Parking();
    private final Parking putters = new Parking();
    private final AtomicInteger seekers = new AtomicInteger();

    private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.OPEN);

    /** A buffer for {@code capacity} elements in {@code laneCount} lanes, at least one in each. */
    Buffer(int capacity, int laneCount) {
        this.lanes = IntStream.range(0, laneCount)
                .mapToObj(lane -> new Ring<E>(Math.max(1, share(capacity, lane, laneCount))))
                .toList();
    }

    private static int share(int capacity, int lane, int laneCount) {
        return capacity / laneCount + (lane < capacity % laneCount ? 1 : 0);
    }

    /** How many elements are in it. */
    int size() {
        return lanes.stream().mapToInt(Ring::size).sum();
    }

    /**
     * Puts elements into the lanes from this one on, a share into each, waiting for room: with one lane in their order. An interrupt
     * does not end the wait.
     *
     * @return how many were put: fewer than there are if it is dropped, or closed and full
     */
    int put(List<? extends E> elements, int lane) {
        int share = (elements.size() + lanes.size() - 1) / lanes.size();
        int put = 0;
        for (int turn = 0; put < elements.size() && phase.get() != Phase.DROPPED; turn++) {
            int more = offer(elements.subList(put, Math.min(put + share, elements.size())), lane + turn);
            put += more;
            if (more > 0 && takers.hasWaiting() && seekers.get() == 0) {
                takers.wakeOne(); // it wakes the next, if there is more
            } else if (more == 0 && phase.get() == Phase.CLOSED) {
                break;
            } else if (more == 0) {
                putters.awaitUninterruptibly(() -> phase.get() != Phase.OPEN || hasRoom());
            }
        }
        return put;
    }

    /** Puts one element; whether it was put. */
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

    /** Whether those who wait for room are to come back. */
    private boolean hasRoom() {
        for (Ring<E> lane : lanes) {
            if (isEased(lane)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isEased(Ring<?> lane) {
        return lane.size() <= lane.capacity() - (lane.capacity() + 3) / 4;
    }

    /** The next element for the taker of this lane; waits for one. Null if there will be none. */
    @Nullable
    E take(int lane) throws InterruptedException {
        E element = poll(lane);
        while (element == null) {
            boolean ending = phase.get() != Phase.OPEN; // asked first: what was put before the end is found
            element = seek(lane);
            if (element == null && ending) {
                return null;
            }
            if (element == null) {
                takers.await(this::isWorthALook);
            }
        }
        return element;
    }

    /** The same, but waits no longer than {@code nanos}, and not at all while {@code hurry}; null then too. */
    @Nullable
    E take(int lane, long nanos, BooleanSupplier hurry) throws InterruptedException {
        E element = poll(lane);
        if (element != null || nanos <= 0) {
            return element;
        }
        long until = System.nanoTime() + nanos;
        while (true) {
            boolean ending = phase.get() != Phase.OPEN;
            element = seek(lane); // after each wait, even the last: it may have been woken for it
            long left = until - System.nanoTime();
            if (element != null || ending || left <= 0 || hurry.getAsBoolean()) {
                return element;
            }
            takers.await(() -> isWorthALook() || hurry.getAsBoolean(), left);
        }
    }

    /** Has those look again who wait to take. */
    void wakeTakers() {
        takers.wakeAll();
    }

    private boolean isWorthALook() {
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
                takers.wakeOne(); // nobody else did, while there was a seeker; whether this one has found anything or
                // not
            }
        }
    }

    /** Looks ever more rarely: who looks at each element as it comes takes the memory it is in from who puts the next. */
    @SuppressWarnings("ThreadPriorityCheck") // a hint: it is right without it, but slower
    private static void pause(int look) {
        if (look % LOOKS_PER_YIELD == 0) {
            Thread.yield();
        }
        for (int i = 0; i < look * SPINS; i++) {
            Thread.onSpinWait();
        }
    }

    /** An element that is there, from this lane or any other; null if there is none, or nothing is taken any more. */
    @Nullable
    E poll(int lane) {
        if (phase.get() == Phase.DROPPED) {
            return null;
        }
        for (int i = 0; i < lanes.size(); i++) {
            Ring<E> ring = ring(lane + i);
            E element = ring.poll();
            if (element != null) {
                if (putters.hasWaiting() && isEased(ring)) {
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

    /** Says that nothing more is to be put: nobody waits any more, neither to put nor to take. What is here may still be taken. */
    void close() {
        phase.compareAndSet(Phase.OPEN, Phase.CLOSED);
        wakeEverybody();
    }

    /** Ends it at once: whoever waits stops waiting, nothing is put or taken any more. */
    void drop() {
        phase.set(Phase.DROPPED);
        wakeEverybody();
    }

    private void wakeEverybody() {
        takers.wakeAll();
        putters.wakeAll();
    }

    /** What was left when it was dropped; called when everybody who puts and takes has ended. */
    List<E> leftOver() {
        List<E> left = new ArrayList<>();
        for (Ring<E> lane : lanes) {
            for (E element = lane.poll(); element != null; element = lane.poll()) {
                left.add(element);
            }
        }
        return left;
    }
}
