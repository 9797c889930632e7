// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.internal.thread.ClientThreads;
import io.millrace.client.internal.time.Timekeeper;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Completes futures on virtual threads, never on the thread that read the reply. The dependents of a future are its
 * dependent stages, such as a callback of the user. They run on the thread that completes the future, and may block.
 *
 * <p>DESIGN. A drainer is a virtual thread that takes calls from the queue and completes their futures. Only one
 * drainer at a time takes calls. Before a drainer completes a future that has dependents, the drainer hands the queue
 * to a new drainer. So a dependent that blocks delays no other call. If the future has no dependents, the drainer keeps
 * the queue. But the user may add a dependent after this check, and the dependent may block the drainer. So if a
 * drainer takes no call from one tick to the next, although calls are waiting, the timekeeper starts another drainer.
 *
 * <p>An answered call keeps its permit until a drainer takes the call, so the windows of the connections limit the
 * length of the queue. The drainer releases the permit before it completes the future. So a dependent can send the next
 * command, and a drainer that is blocked by a dependent holds no permits.
 */
public final class FutureCompleter {

    /**
     * Maximum number of calls whose permits are released in one step. Fewer releases mean less contention with the
     * threads that submit.
     */
    private static final int RELEASE_BATCH = 32;

    private final Timekeeper timekeeper;
    private final ConcurrentLinkedQueue<PendingCall<?>> queue = new ConcurrentLinkedQueue<>();

    /**
     * The drainer that takes calls; null if there is none. If it is null, a thread that adds a call starts a drainer.
     */
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
            ClientThreads.startVirtual("millrace-callback", drainer);
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
                    // A thread may have added a call before the line above, and started no drainer because this drainer
                    // was still active. So check the queue again.
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
         * Releases the permits of {@code first}, and of the calls in the queue up to the first call of another
         * connection. Releases the permits of {@link #RELEASE_BATCH} calls at most.
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
