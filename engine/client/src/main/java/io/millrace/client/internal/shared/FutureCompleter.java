// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.internal.time.Timekeeper;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Completes futures on virtual threads, never on the thread that read the reply. The dependent stages of a future run
 * on the completing thread, and may block.
 *
 * <p>DESIGN. One drainer at a time takes calls from the queue. Before it completes a future that has dependents, it
 * hands the queue to a new drainer. So a dependent that blocks delays no other call. A future without dependents costs
 * no thread. A dependent may be added between that check and the completion, and may block: if a drainer makes no
 * progress from one tick to the next, the timekeeper starts another.
 *
 * <p>The windows bound the queue: an answered call keeps its permit until a drainer takes the call. The permit is
 * released before the future is completed. So code that sees the result can send again, and a stuck drainer holds no
 * permits.
 */
public final class FutureCompleter {

    /** Permits are released in batches, because all submitting threads contend for each release. */
    private static final int RELEASE_BATCH = 32;

    private final Timekeeper timekeeper;
    private final ConcurrentLinkedQueue<PendingCall<?>> queue = new ConcurrentLinkedQueue<>();

    /** The active drainer; null while the queue is empty, or is about to become empty. */
    private final AtomicReference<@Nullable Drainer> active = new AtomicReference<>();

    // Owned by the timekeeper.
    private @Nullable Drainer lastActive;
    private long lastTaken;

    public FutureCompleter(Timekeeper timekeeper) {
        this.timekeeper = timekeeper;
        timekeeper.watch(now -> tick());
    }

    /** Adds a call that has its outcome. Any thread; does not wait and runs no user code. */
    void offer(PendingCall<?> call) {
        queue.add(call);
        if (active.get() == null) {
            startDrainer(null);
        }
    }

    private void startDrainer(@Nullable Drainer replaced) {
        Drainer drainer = new Drainer();
        if (active.compareAndSet(replaced, drainer)) {
            Thread.ofVirtual().name("millrace-callback").start(drainer);
            timekeeper.wake();
        }
    }

    /** Timekeeper: replaces a drainer that is stuck in user code. Returns whether there is a drainer to watch. */
    private boolean tick() {
        Drainer drainer = active.get();
        if (drainer != null && drainer == lastActive && drainer.taken == lastTaken && !queue.isEmpty()) {
            startDrainer(drainer);
        }
        lastActive = drainer;
        lastTaken = drainer == null ? 0 : drainer.taken;
        return drainer != null;
    }

    private final class Drainer implements Runnable {

        /** Number of calls that this drainer has taken from the queue; written by the drainer. */
        private volatile long taken;

        @Override
        public void run() {
            while (active.get() == this) {
                PendingCall<?> call = queue.poll();
                if (call != null) {
                    complete(call);
                } else {
                    active.compareAndSet(this, null);
                    // A thread that added a call before the line above saw an active drainer and started no drainer.
                    if (queue.isEmpty() || !active.compareAndSet(null, this)) {
                        return;
                    }
                    timekeeper.wake();
                }
            }
        }

        @SuppressWarnings("NonAtomicVolatileUpdate") // one writer: the thread of this drainer
        private void complete(PendingCall<?> call) {
            assert Thread.currentThread().isVirtual() : "user code runs on a platform thread of the client";
            try {
                if (call.holdsPermits()) {
                    releasePermits(call);
                }
                taken++;
                if (call.hasDependents()) {
                    // The dependents may block: from here on another drainer is active.
                    handOver();
                }
            } finally {
                call.complete();
            }
        }

        private void handOver() {
            if (queue.isEmpty()) {
                active.compareAndSet(this, null);
                if (!queue.isEmpty()) {
                    startDrainer(null);
                }
            } else {
                startDrainer(this);
            }
        }

        /**
         * Releases the permits of {@code first} and of the calls behind it on the same connection, up to one batch.
         */
        private void releasePermits(PendingCall<?> first) {
            SharedConnection connection = Objects.requireNonNull(first.connection);
            long cost = first.takeCostToRelease();
            int count = 1;
            for (PendingCall<?> call : queue) {
                if (count == RELEASE_BATCH || call.connection != connection) {
                    break;
                }
                cost += call.takeCostToRelease();
                count++;
            }
            connection.release(cost);
        }
    }
}
