// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.Overflow;
import io.millrace.client.internal.thread.ClientThreads;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Limits the number of callbacks that run at the same time. Each running callback has a slot. A call whose future has
 * dependents waits here if no slot is free.
 *
 * <p>DESIGN. While any call waits for a slot, {@code send} accepts no further command: the submitting thread waits, or
 * the command is refused. So the number of waiting calls is at most the number of commands that were in flight when the
 * first call began to wait. A waiting call holds no permit of its window. Otherwise the waiting calls could hold all
 * permits, and a callback that calls {@code call} would wait for a permit that only the end of a callback releases.
 *
 * <p>The outcomes that wait for executors of the user count, too: {@code send} accepts no command while as many outcomes
 * wait as there are slots. So the queues of the executors are bounded.
 *
 * <p>Two more rules let callbacks proceed:
 *
 * <ul>
 *   <li>A future with waiting threads and without callbacks needs no slot; see {@link ReplyFuture}.
 *   <li>A callback may send one command without this limit. The callback gives up its slot when it ends, and the command
 *       needs at most one slot. So chains of commands continue, and their number does not grow.
 * </ul>
 *
 * <p>No waiting call is missed. A thread that adds a waiting call first adds the call, and then tries to take a slot. A
 * thread that releases a slot first releases it, and then checks for waiting calls. The queue and the number of slots
 * are volatile, so at least one of the two threads sees the write of the other.
 */
final class CallbackSlots {

    /**
     * Number of slots beyond the limit that the timekeeper may take, for user code that blocks the completion of futures:
     * a listener, or a callback that was attached late. This user code does not run as a callback, so it usually is short
     * and seldom blocks. If it always blocks, the futures wait, and the windows limit their number.
     */
    private static final int BEYOND_LIMIT = 64;

    /** The running callback of the current thread. */
    private static final ThreadLocal<@Nullable Callback> CURRENT = new ThreadLocal<>();

    private final int limit;
    private final Runnable whenFirstFull;

    /** Number of free slots. Below 0 if the timekeeper has taken slots beyond the limit. */
    private final AtomicInteger free;

    private final ConcurrentLinkedQueue<PendingCall<?>> waiting = new ConcurrentLinkedQueue<>();

    /** Number of calls in {@link #waiting}, or more: increased before a call is added, decreased after its removal. */
    private final AtomicInteger waitingCount = new AtomicInteger();

    /** Number of outcomes that were handed to executors of users, and that no executor has begun to run. */
    private final AtomicInteger atExecutors = new AtomicInteger();

    private final AtomicBoolean wasFull = new AtomicBoolean();

    // The threads that wait in accepts(). The number is written under the lock.
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition noneWaiting = lock.newCondition();
    private volatile int blocked;

    /** A running callback. Owned by its thread. */
    private static final class Callback {

        private final CallbackSlots owner;

        /** Whether this callback may still send a command without the limit. */
        private boolean maySend;

        private Callback(CallbackSlots owner) {
            this.owner = owner;
        }
    }

    /** Creates {@code slots} free slots. Runs {@code whenFirstFull} when a call finds no free slot for the first time. */
    CallbackSlots(int slots, Runnable whenFirstFull) {
        this.limit = slots;
        this.free = new AtomicInteger(slots);
        this.whenFirstFull = whenFirstFull;
    }

    // Called by submitting threads.

    /** Whether calls wait for a slot, or too many outcomes wait for executors. */
    boolean isFull() {
        return waitingCount.get() > 0 || atExecutors.get() >= limit;
    }

    /**
     * Returns whether a command with a future may be submitted. Waits until no call waits for a slot, at most for {@code
     * nanos}; does not wait with {@link Overflow#REFUSE}. Returns false if the thread is interrupted while it waits; its
     * interrupt flag is set.
     */
    boolean accepts(Overflow overflow, long nanos) {
        if (!isFull()) {
            return true;
        }
        Callback callback = CURRENT.get();
        if (callback != null && callback.owner == this && callback.maySend) {
            callback.maySend = false;
            return true;
        }
        try {
            return overflow == Overflow.BLOCK && awaitNoneWaiting(nanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // written under the lock
    private boolean awaitNoneWaiting(long nanos) throws InterruptedException {
        lock.lockInterruptibly();
        blocked++;
        try {
            long left = nanos;
            while (isFull() && left > 0) {
                left = noneWaiting.awaitNanos(left);
            }
            return !isFull();
        } finally {
            blocked--;
            lock.unlock();
        }
    }

    // Called by drainers and by the timekeeper.

    /** Takes a slot if one is free. */
    boolean take() {
        int now = free.get();
        while (now > 0) {
            if (free.compareAndSet(now, now - 1)) {
                return true;
            }
            now = free.get();
        }
        return false;
    }

    /** Timekeeper: takes a slot, if necessary beyond the limit. Returns false if the slots beyond the limit are taken. */
    boolean takeBeyondLimit() {
        return free.getAndUpdate(now -> Math.max(now - 1, -BEYOND_LIMIT)) > -BEYOND_LIMIT;
    }

    /** Adds a call that found no free slot. */
    void addWaiting(PendingCall<?> call) {
        waitingCount.incrementAndGet();
        waiting.add(call);
        reportFull();
        startWaiting();
    }

    private void reportFull() {
        if (!wasFull.get() && wasFull.compareAndSet(false, true)) {
            whenFirstFull.run();
        }
    }

    /** Releases a slot, and starts a waiting call if possible. */
    void release() {
        free.incrementAndGet();
        startWaiting();
    }

    private void startWaiting() {
        while (!waiting.isEmpty() && take()) {
            PendingCall<?> next = nextWaiting();
            if (next == null) {
                free.incrementAndGet();
            } else {
                start(next);
            }
        }
    }

    /** Starts a waiting call that was given a slot. If there is no memory for a thread, the call waits again. */
    private void start(PendingCall<?> call) {
        boolean started = false;
        try {
            ClientThreads.startVirtual("millrace-callback", () -> run(call));
            started = true;
        } finally {
            if (!started) {
                waitingCount.incrementAndGet();
                waiting.add(call);
                free.incrementAndGet();
            }
        }
    }

    /** Timekeeper: starts calls that could not be started before. Returns whether calls wait for a slot. */
    boolean tick() {
        startWaiting();
        return isFull();
    }

    /** Runs the callbacks of {@code first}, and of calls that wait for a slot. The current thread must have a slot. */
    void run(PendingCall<?> first) {
        Callback callback = new Callback(this);
        CURRENT.set(callback);
        try {
            for (PendingCall<?> next = first; next != null; next = nextWaiting()) {
                callback.maySend = true;
                next.complete();
            }
        } finally {
            CURRENT.remove();
            release();
        }
    }

    private @Nullable PendingCall<?> nextWaiting() {
        PendingCall<?> next = waiting.poll();
        if (next != null && waitingCount.decrementAndGet() == 0) {
            wakeBlocked();
        }
        return next;
    }

    private void wakeBlocked() {
        if (blocked > 0) {
            lock.lock();
            try {
                noneWaiting.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    // Outcomes for executors of the user.

    /** Any thread: counts outcomes that are handed to an executor. */
    void handOver(int outcomes) {
        if (atExecutors.addAndGet(outcomes) >= limit) {
            reportFull();
        }
    }

    /** Executor of the user: runs the callbacks of the first {@code count} of {@code calls}. */
    void runOnExecutor(CallerSubmission[] calls, int count) {
        int left = atExecutors.addAndGet(-count);
        if (left < limit && left + count >= limit) {
            wakeBlocked();
        }
        Callback callback = new Callback(this);
        CURRENT.set(callback);
        try {
            for (int i = 0; i < count; i++) {
                callback.maySend = true;
                calls[i].complete();
            }
        } finally {
            CURRENT.remove();
        }
    }
}
