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
 * <p>DESIGN. A drainer is a virtual thread that takes calls from the queue and completes their futures. Only one
 * drainer at a time takes calls. Before a drainer completes a future that has dependents, the drainer hands the queue
 * to a new drainer. So a dependent that blocks delays no other call. A future without dependents needs no new thread.
 * But a dependent may be added after the drainer has looked for dependents, and may block the drainer. So if a drainer
 * makes no progress from one tick to the next, the timekeeper starts another drainer.
 *
 * <p>An answered call keeps its permit until a drainer takes the call, so the windows of the connections bound the
 * queue. The drainer releases the permit before it completes the future. So code that receives the result can send
 * again, and a stuck drainer holds no permits.
 */
public final class FutureCompleter {

    /**
     * Maximum number of calls whose permits are released in one step. Fewer releases mean less contention with the
     * threads that submit.
     */
    private static final int RELEASE_BATCH = 32;

    private final Timekeeper timekeeper;
    private final ConcurrentLinkedQueue<PendingCall<?>> queue = new ConcurrentLinkedQueue<>();

    /** The drainer that takes calls; null if there is none. A thread that adds a call then starts a drainer. */
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
                    // A thread that added a call before the line above saw an active drainer and started no drainer. So
                    // check the queue again.
                    if (queue.isEmpty() || !active.compareAndSet(null, this)) {
                        return;
                    }
                    timekeeper.wake();
                }
            }
        }

        @SuppressWarnings("NonAtomicVolatileUpdate") // one writer: the thread of this drainer
        private void complete(PendingCall<?> call) {
            assert Thread.currentThread().isVirtual() : "user code must not run on a platform thread of the client";
            try {
                if (call.holdsPermits()) {
                    releasePermits(call);
                }
                taken++;
                if (call.hasDependents()) {
                    // The dependents may block this thread. So another drainer takes the next calls.
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
