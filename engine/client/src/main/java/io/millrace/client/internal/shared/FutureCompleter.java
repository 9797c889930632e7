// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.internal.log.ClientLog;
import io.millrace.client.internal.thread.ClientThreads;
import io.millrace.client.internal.time.Timekeeper;
import java.lang.System.Logger.Level;
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
 * the queue. But the user may add a dependent after this check, and the dependent may block the drainer. A command
 * listener may block the drainer, too. So if a drainer takes no call from one tick to the next, although calls are
 * waiting, the timekeeper starts another drainer.
 *
 * <p>The number of threads that run dependents is limited by {@link CallbackSlots}. A call that has dependents and finds
 * no slot waits there, while the drainer completes the futures of later calls.
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
    private final CallbackSlots slots;
    private final OutcomeDispatcher dispatcher;
    private final ConcurrentLinkedQueue<PendingCall<?>> queue = new ConcurrentLinkedQueue<>();

    /**
     * The drainer that takes calls; null if there is none. If it is null, a thread that adds a call starts a drainer.
     */
    private final AtomicReference<@Nullable Drainer> active = new AtomicReference<>();

    // Owned by the timekeeper.
    private @Nullable Drainer lastActive;
    private long lastTaken;

    /** Creates a completer that runs at most {@code callbacks} callbacks at the same time. */
    public FutureCompleter(Timekeeper timekeeper, int callbacks) {
        this.timekeeper = timekeeper;
        this.slots = new CallbackSlots(
                callbacks,
                () -> ClientLog.logger()
                        .log(
                                Level.WARNING,
                                "the maximum number of callbacks is running: callbacks=" + callbacks
                                        + ". Commands of send() wait or are refused until a callback ends"));
        this.dispatcher = new OutcomeDispatcher(timekeeper, slots);
        timekeeper.watch(now -> tick());
        timekeeper.watch(now -> dispatcher.tick());
    }

    /** The limit of running callbacks. */
    CallbackSlots slots() {
        return slots;
    }

    /** Hands outcomes to the executors of users. */
    OutcomeDispatcher dispatcher() {
        return dispatcher;
    }

    /** Adds a call that has its outcome. Any thread; does not wait and runs no user code. */
    void offer(PendingCall<?> call) {
        queue.add(call);
        if (active.get() == null) {
            startDrainer(null);
        }
    }

    /** Replaces {@code replaced} by a new drainer. Returns false if {@code replaced} is not active. */
    private boolean startDrainer(@Nullable Drainer replaced) {
        Drainer drainer = new Drainer();
        if (!active.compareAndSet(replaced, drainer)) {
            return false;
        }
        ClientThreads.startVirtual("millrace-callback", drainer);
        timekeeper.wake();
        return true;
    }

    /**
     * Timekeeper: replaces a drainer that is stuck in user code. The replaced drainer gets a slot, if necessary
     * beyond the limit: otherwise all futures would wait for this user code. Returns whether there is a drainer to watch.
     */
    private boolean tick() {
        Drainer drainer = active.get();
        if (drainer != null && drainer == lastActive && drainer.taken == lastTaken && !queue.isEmpty()) {
            if (slots.takeBeyondLimit() && !startDrainer(drainer)) {
                slots.release();
            }
        }
        lastActive = drainer;
        lastTaken = drainer == null ? 0 : drainer.taken;
        return slots.tick() || drainer != null;
    }

    private final class Drainer implements Runnable {

        /** Number of calls that this drainer has taken from the queue; written by the drainer. */
        private volatile long taken;

        @Override
        public void run() {
            while (active.get() == this) {
                PendingCall<?> call = queue.poll();
                if (call != null) {
                    if (complete(call)) {
                        return;
                    }
                } else if (active.compareAndSet(this, null)) {
                    // A thread may have added a call before the line above, and started no drainer because this drainer
                    // was still active. So check the queue again.
                    if (queue.isEmpty() || !active.compareAndSet(null, this)) {
                        return;
                    }
                    timekeeper.wake();
                }
            }
            // The timekeeper has replaced this drainer, and has taken a slot for it.
            slots.release();
        }

        /** Completes the future of {@code call}. Returns true if this drainer has handed over the queue. */
        @SuppressWarnings("NonAtomicVolatileUpdate") // one writer: the thread of this drainer
        private boolean complete(PendingCall<?> call) {
            assert Thread.currentThread().isVirtual() : "user code must not run on a platform thread of the client";
            if (call.holdsPermits()) {
                releasePermits(call);
            }
            taken++;
            if (!call.hasDependents()) {
                call.complete();
                return false;
            }
            if (!slots.take()) {
                slots.addWaiting(call);
                return false;
            }
            try {
                // The dependents may block this thread. So another drainer takes the next calls.
                handOver();
            } finally {
                slots.run(call);
            }
            return true;
        }

        private void handOver() {
            boolean handedOver;
            if (queue.isEmpty()) {
                handedOver = active.compareAndSet(this, null);
                if (!queue.isEmpty()) {
                    startDrainer(null);
                }
            } else {
                handedOver = startDrainer(this);
            }
            if (!handedOver) {
                // The timekeeper has replaced this drainer, and has taken a second slot for it.
                slots.release();
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
