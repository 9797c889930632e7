// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Completes futures, on virtual threads, never on the thread that read the reply: what hangs on a future runs on the thread
 * that completes it, and may block.
 *
 * <p>DESIGN. One drainer at a time takes calls from the queue. Before it completes a future that something hangs on, it hands
 * the queue to a new drainer, so what blocks delays nobody. A future on which nothing hangs costs no thread. Something may be
 * hung on it between the look and the completion, and block: the timekeeper notices a drainer that makes no progress from one
 * tick to the next, and appoints another.
 *
 * <p>The queue is bounded by the windows: an answered call keeps its place until its turn is here. It has given the place back
 * before its future is completed, so whoever sees that may send again, and a drainer that is stuck keeps no places.
 */
final class Completions {

    /** Places are given back in lots, for that takes a step that all submitting threads contend for. */
    private static final int LOT = 32;

    private final Timekeeper timekeeper;
    private final ConcurrentLinkedQueue<PendingCall<?>> queue = new ConcurrentLinkedQueue<>();

    /** The drainer in charge; null while the queue is empty, or about to be. */
    private final AtomicReference<@Nullable Drainer> inCharge = new AtomicReference<>();

    // Owned by the timekeeper.
    private @Nullable Drainer seenInCharge;
    private long seenTaken;

    Completions(Timekeeper timekeeper) {
        this.timekeeper = timekeeper;
        timekeeper.watch(now -> tick());
    }

    /** Any thread; does not wait, runs no code of the user. */
    void offer(PendingCall<?> call) {
        queue.add(call);
        if (inCharge.get() == null) {
            appoint(null);
        }
    }

    private void appoint(@Nullable Drainer instead) {
        Drainer drainer = new Drainer();
        if (inCharge.compareAndSet(instead, drainer)) {
            Thread.ofVirtual().name("millrace-callback").start(drainer);
            timekeeper.wake();
        }
    }

    /** The timekeeper: replaces a drainer that is stuck in code of the user. Returns whether there is something to watch. */
    private boolean tick() {
        Drainer drainer = inCharge.get();
        if (drainer != null && drainer == seenInCharge && drainer.taken == seenTaken && !queue.isEmpty()) {
            appoint(drainer);
        }
        seenInCharge = drainer;
        seenTaken = drainer == null ? 0 : drainer.taken;
        return drainer != null;
    }

    private final class Drainer implements Runnable {

        /** How many calls it took; written by itself. */
        private volatile long taken;

        @Override
        public void run() {
            while (inCharge.get() == this) {
                PendingCall<?> call = queue.poll();
                if (call != null) {
                    complete(call);
                } else {
                    inCharge.compareAndSet(this, null);
                    // What was added before that saw somebody in charge.
                    if (queue.isEmpty() || !inCharge.compareAndSet(null, this)) {
                        return;
                    }
                    timekeeper.wake();
                }
            }
        }

        @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
        private void complete(PendingCall<?> call) {
            assert Thread.currentThread().isVirtual() : "code of the user on a thread of the client";
            try {
                if (call.owesItsPlace()) {
                    giveBackPlaces(call);
                }
                taken++;
                if (call.hasDependents()) {
                    // It may block: from here on somebody else is in charge.
                    handOver();
                }
            } finally {
                call.complete();
            }
        }

        private void handOver() {
            if (queue.isEmpty()) {
                inCharge.compareAndSet(this, null);
                if (!queue.isEmpty()) {
                    appoint(null);
                }
            } else {
                appoint(this);
            }
        }

        /** Of {@code first} and of those behind it on the same connection, as many as make a lot. */
        private void giveBackPlaces(PendingCall<?> first) {
            SharedConnection connection = Objects.requireNonNull(first.connection);
            long cost = first.placeToGiveBack();
            int count = 1;
            for (PendingCall<?> call : queue) {
                if (count == LOT || call.connection != connection) {
                    break;
                }
                cost += call.placeToGiveBack();
                count++;
            }
            connection.release(cost);
        }
    }
}
