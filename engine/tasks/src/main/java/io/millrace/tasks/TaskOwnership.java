// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/*
 * DESIGN
 *
 * One atomic state says who owns the current tasks of a worker. So a deadline, a stop and the end of the work may happen
 * at the same moment, an interrupt never reaches the wrong task, and each task is settled once:
 *
 *     IDLE --begin--> WORKING --regain-------------------------> IDLE          the worker owns the tasks
 *                        |
 *                        +--supervisor: late, or stop--> STOPPING --interrupted--> STOPPED --regain--> IDLE
 *                                                                                     |
 *                                                     supervisor, after grace ------> ABANDONED
 *
 * Only the supervisor sets STOPPING, STOPPED and ABANDONED. A worker that returns while the state is STOPPING waits for
 * the interrupt, which follows, and clears it. A worker that finds the state ABANDONED ends without touching its tasks,
 * because the supervisor owns them and another worker has replaced it.
 */

/** The ownership of a worker's current tasks, which passes between the worker and the supervisor. */
final class TaskOwnership {

    // States are ints, because writing a reference costs a barrier of the garbage collector.
    private static final int IDLE = 0;
    private static final int WORKING = 1;
    private static final int STOPPING = 2;
    private static final int STOPPED = 3;
    private static final int ABANDONED = 4;

    private final Settings settings;
    private final BooleanSupplier dropping;

    /** The worker's thread. */
    private final Thread thread;

    private final AtomicInteger state = new AtomicInteger(IDLE);

    /** Written by the worker, handed over by WORKING. */
    private long deadline = Worker.NEVER;

    /** Written by the supervisor, handed over by STOPPED. */
    private StopReason reason;

    private long stoppedAt;

    /**
     * Creates the ownership of an idle worker.
     *
     * @param dropping whether the flow drops its tasks
     * @param reason for the tasks of a replaced worker; {@link StopReason#NONE} if there are none
     */
    TaskOwnership(Settings settings, BooleanSupplier dropping, Thread thread, StopReason reason) {
        this.settings = settings;
        this.dropping = dropping;
        this.thread = thread;
        this.reason = reason;
    }

    // The worker.

    /** Starts the time of the current tasks, if they have a time limit. */
    void startDeadline() {
        if (settings.deadlineNanos() != Worker.NEVER) {
            deadline = settings.now() + settings.deadlineNanos();
        }
    }

    /** Clears the deadline, because the next tasks have not started yet. */
    void clearDeadline() {
        deadline = Worker.NEVER;
    }

    /**
     * Starts an attempt. While the worker is idle, the supervisor interrupts it only if no further attempt starts, so
     * an earlier interrupt has no meaning.
     */
    void begin() {
        clearInterrupt();
        state.setRelease(WORKING);
    }

    /** Returns the ownership of the tasks to the worker, unless it was abandoned. */
    @SuppressWarnings("ThreadPriorityCheck") // the supervisor sets the next state within a few instructions
    StopReason regain() {
        while (true) {
            if (state.compareAndSet(WORKING, IDLE)) {
                clearInterrupt();
                return StopReason.NONE;
            }
            if (state.compareAndSet(STOPPED, IDLE)) {
                clearInterrupt();
                return reason;
            }
            if (isAbandoned()) {
                return StopReason.ABANDONED;
            }
            Thread.yield(); // STOPPING: the interrupt follows
        }
    }

    /** Keeps an interrupt during one task from reaching the next task. */
    private static void clearInterrupt() {
        var unused = Thread.interrupted();
    }

    // The supervisor.

    /** The last decision about the tasks. */
    StopReason reason() {
        return reason;
    }

    boolean isAbandoned() {
        return state.get() == ABANDONED;
    }

    /**
     * Stops the current work if it is late or the flow is dropped.
     *
     * @param now from the clock of the settings
     * @return nanoseconds until the next check, or {@link Worker#NEVER}
     */
    long check(long now) {
        long next = switch (state.get()) {
            case WORKING -> stopIfDue(now);
            case STOPPED -> settings.graceNanos() - (now - stoppedAt);
            default -> Worker.NEVER;
        };
        return Math.clamp(next, 1, settings.deadlineNanos()); // no task that starts now is late before this check
    }

    private long stopIfDue(long now) {
        boolean drop = dropping.getAsBoolean();
        if (!drop && left(now) > 0) {
            return left(now);
        }
        if (state.compareAndSet(WORKING, STOPPING)) {
            if (!drop && left(now) > 0) {
                state.set(WORKING); // the late task has ended; this is the next one
                return left(now);
            }
            reason = drop ? StopReason.CANCELLED : StopReason.TIMED_OUT;
            stoppedAt = now;
            thread.interrupt();
            state.set(STOPPED);
        }
        return settings.graceNanos();
    }

    private long left(long now) {
        return deadline == Worker.NEVER ? Worker.NEVER : deadline - now;
    }

    /**
     * Interrupts a listener or source that takes long, some time after the flow was dropped. An interrupt between tasks
     * is harmless, because no further task starts.
     */
    void interruptIfIdle() {
        if (state.get() == IDLE) {
            thread.interrupt();
        }
    }

    /** Abandons work that continues after its interrupt. Returns whether the supervisor now owns the tasks. */
    boolean abandon(long now) {
        return state.get() == STOPPED
                && now - stoppedAt >= settings.graceNanos()
                && state.compareAndSet(STOPPED, ABANDONED);
    }
}
