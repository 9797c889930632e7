// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.NonBlockingExecutor;
import io.millrace.client.internal.log.ClientLog;
import io.millrace.client.internal.thread.ClientThreads;
import io.millrace.client.internal.time.Timekeeper;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Hands outcomes to the executors of users, as tasks. Calls {@link Executor#execute} on virtual threads, because an
 * executor may block or run the task itself. Only a {@link NonBlockingExecutor} is called by the thread that reads the
 * replies.
 *
 * <p>DESIGN. A dispatch thread is a virtual thread that takes tasks from the queue and calls their executors. Usually
 * there is one. If a dispatch thread is stuck in an executor, the timekeeper starts another one. So an executor that
 * blocks delays only its own tasks.
 *
 * <p>One thread at a time calls an executor, so the executor gets its tasks in the order of the replies. A dispatch
 * thread takes a task, and registers its executor as busy, in one step under the lock. If the executor is busy already,
 * the dispatch thread leaves the task to the thread that calls this executor.
 *
 * <p>A {@code NonBlockingExecutor} may break its promise. If the call takes long, no executor is called by a reader any
 * more. If the executor runs the task itself, the task moves to a virtual thread: no reader runs a callback.
 *
 * <p>A task that its executor does not accept, for example after a shutdown, runs on a virtual thread. So every future
 * is completed.
 *
 * <p>{@link CallbackSlots} counts the outcomes in the queue and in the executors; {@code send} accepts no command for an
 * executor while too many outcomes wait.
 */
public final class OutcomeDispatcher {

    /** If a reader was longer than this in an executor, the executor blocks. A long pause of the JVM is rarer. */
    private static final long BLOCKED_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Timekeeper timekeeper;
    private final CallbackSlots slots;
    private final ConcurrentLinkedQueue<ExecutorTask> queue = new ConcurrentLinkedQueue<>();

    /** The thread that takes tasks; null if there is none. If it is null, a thread that adds a task starts one. */
    private final AtomicReference<@Nullable DispatchThread> active = new AtomicReference<>();

    /** Held for a few steps, never while an executor is called. */
    private final ReentrantLock lock = new ReentrantLock();

    /** The executors that are being called. Guarded by the lock. */
    private final List<BusyExecutor> busyExecutors = new ArrayList<>();

    /** Number of tasks that were taken from the queue. Written under the lock. */
    private volatile long taken;

    /** Whether readers call executors that do not block. Set to false by a reader, never reset. */
    private volatile boolean readersCall = true;

    // Owned by the timekeeper.
    private @Nullable DispatchThread lastActive;
    private long lastTaken;

    /** An executor that is being called, and the tasks that follow. Guarded by the lock. */
    private static final class BusyExecutor {

        private final ExecutorTask first;
        private final ArrayDeque<ExecutorTask> following = new ArrayDeque<>(0);

        private BusyExecutor(ExecutorTask first) {
            this.first = first;
        }
    }

    OutcomeDispatcher(Timekeeper timekeeper, CallbackSlots slots) {
        this.timekeeper = timekeeper;
        this.slots = slots;
    }

    @SuppressWarnings("ReferenceEquality") // equals() would be code of the user
    static boolean isSame(Executor executor, Executor other) {
        return identity(executor) == identity(other);
    }

    /** The object that identifies {@code executor}. */
    public static Executor identity(Executor executor) {
        return executor instanceof NonBlockingExecutor nonBlocking ? nonBlocking.executor() : executor;
    }

    /** Adds a task of the reader that calls this method, or passes the task to an executor that does not block. */
    void offerFromReader(ExecutorTask task) {
        if (!readersCall || !(task.executor() instanceof NonBlockingExecutor)) {
            offer(task);
            return;
        }
        slots.handOver(task.count());
        LongSupplier clock = timekeeper.clock();
        long before = clock.getAsLong();
        task.calledBy(Thread.currentThread());
        execute(task);
        if (clock.getAsLong() - before > BLOCKED_NANOS && readersCall) {
            readersCall = false;
            ClientLog.logger()
                    .log(
                            Level.WARNING,
                            "a NonBlockingExecutor blocked a thread that reads replies for longer than 100 ms:"
                                    + " executors are now called on virtual threads");
        }
    }

    /** Adds a task. Any thread; does not wait and runs no user code. */
    void offer(ExecutorTask task) {
        slots.handOver(task.count());
        queue.add(task);
        if (active.get() == null) {
            startThread(null);
        }
    }

    private void startThread(@Nullable DispatchThread replaced) {
        DispatchThread thread = new DispatchThread();
        if (active.compareAndSet(replaced, thread)) {
            ClientThreads.startVirtual("millrace-dispatcher", thread);
            timekeeper.wake();
        }
    }

    /** Timekeeper: replaces a thread that is stuck in an executor. Returns whether there is a thread to watch. */
    boolean tick() {
        DispatchThread thread = active.get();
        if (thread != null && thread == lastActive && taken == lastTaken && !queue.isEmpty()) {
            startThread(thread);
        }
        lastActive = thread;
        lastTaken = taken;
        return thread != null;
    }

    private final class DispatchThread implements Runnable {

        @Override
        public void run() {
            for (BusyExecutor busy = next(); busy != null; busy = next()) {
                for (ExecutorTask task = busy.first; task != null; task = nextOf(busy)) {
                    execute(task);
                }
            }
        }

        /**
         * Takes tasks until one is for an executor that no thread calls, and registers this executor. Returns null if no
         * task is left, or if this thread was replaced.
         */
        @SuppressWarnings("NonAtomicVolatileUpdate") // written under the lock
        private @Nullable BusyExecutor next() {
            lock.lock();
            try {
                while (active.get() == this) {
                    ExecutorTask task = queue.poll();
                    if (task != null) {
                        taken++;
                        BusyExecutor busy = begin(task);
                        if (busy != null) {
                            return busy;
                        }
                    } else if (active.compareAndSet(this, null)) {
                        // A thread may have added a task before the line above, and started no thread because this
                        // thread was still active. So check the queue again.
                        if (queue.isEmpty() || !active.compareAndSet(null, this)) {
                            return null;
                        }
                    }
                }
                return null;
            } finally {
                lock.unlock();
            }
        }
    }

    /** With the lock: registers the executor of {@code task}. Returns null if another thread will execute the task. */
    private @Nullable BusyExecutor begin(ExecutorTask task) {
        for (BusyExecutor busy : busyExecutors) {
            if (isSame(busy.first.executor(), task.executor())) {
                busy.following.add(task);
                return null;
            }
        }
        BusyExecutor busy = new BusyExecutor(task);
        busyExecutors.add(busy);
        return busy;
    }

    /** Returns the next task for an executor. If there is none, the executor is no longer busy. */
    private @Nullable ExecutorTask nextOf(BusyExecutor busy) {
        lock.lock();
        try {
            ExecutorTask task = busy.following.poll();
            if (task == null) {
                busyExecutors.remove(busy);
            }
            return task;
        } finally {
            lock.unlock();
        }
    }

    private static void execute(ExecutorTask task) {
        try {
            task.executor().execute(task);
        } catch (Throwable e) {
            // The executor was shut down, for example.
            ClientThreads.startVirtual("millrace-callback", task);
        }
    }
}
