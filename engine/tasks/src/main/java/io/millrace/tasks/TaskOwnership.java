// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/*
 * DESIGN
 *
 * One atomic state says which thread owns the current tasks of a worker. So a deadline, a stop and the end of the work
 * may happen at the same moment, an interrupt never reaches the wrong task, and each task is settled once:
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

/** Says which thread owns the current tasks of a worker: the worker, or the supervisor. */
final class TaskOwnership {

    // The states are ints, because each write of a reference would cost a barrier of the garbage collector.
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

    /**
     * The worker writes this field before it sets the state to WORKING. The supervisor reads this field after it has
     * read the state.
     */
    private long deadline = Worker.NEVER;

    /**
     * The supervisor writes this field before it sets the state to STOPPED. The worker reads this field after it has
     * read the state.
     */
    private StopReason reason;

    private long stoppedAt;

    /**
     * Creates the ownership of an idle worker.
     *
     * @param dropping whether the flow drops its tasks
     * @param reason stop reason for the tasks of the replaced worker; {@link StopReason#NONE} if the worker replaces no
     *     other worker
     */
    TaskOwnership(Settings settings, BooleanSupplier dropping, Thread thread, StopReason reason) {
        this.settings = settings;
        this.dropping = dropping;
        this.thread = thread;
        this.reason = reason;
    }

    // The worker.

    /** Starts the time limit of the current tasks, if the flow has a time limit. */
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
     * Clears the interrupt flag and starts an attempt. It is safe to clear an earlier interrupt: the supervisor
     * interrupts an idle worker only after the flow was dropped, and then no further attempt starts.
     */
    void begin() {
        clearInterrupt();
        state.setRelease(WORKING);
    }

    /**
     * Gives the ownership of the tasks back to the worker, unless the worker was abandoned. Returns the supervisor's
     * decision.
     */
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

    /** Clears the interrupt flag, so that an interrupt of one task does not reach the next task. */
    private static void clearInterrupt() {
        var unused = Thread.interrupted();
    }

    // The supervisor.

    /** The last decision of the supervisor about the current tasks. */
    StopReason reason() {
        return reason;
    }

    boolean isAbandoned() {
        return state.get() == ABANDONED;
    }

    /**
     * Interrupts the worker if its current tasks are late or the flow is dropped.
     *
     * @param now current time, from the clock of the settings
     * @return nanoseconds until the next check, or {@link Worker#NEVER}
     */
    long check(long now) {
        long next = switch (state.get()) {
            case WORKING -> stopIfDue(now);
            case STOPPED -> settings.graceNanos() - (now - stoppedAt);
            default -> Worker.NEVER;
        };
        // Check again after one time limit at the latest. A task that starts just after this check may have exceeded
        // its time limit by then.
        return Math.clamp(next, 1, settings.deadlineNanos());
    }

    private long stopIfDue(long now) {
        boolean drop = dropping.getAsBoolean();
        if (!drop && left(now) > 0) {
            return left(now);
        }
        if (state.compareAndSet(WORKING, STOPPING)) {
            if (!drop && left(now) > 0) {
                state.set(WORKING); // the late task has ended; the worker already executes the next task
                return left(now);
            }
            reason = drop ? StopReason.CANCELLED : StopReason.TIMED_OUT;
            stoppedAt = now;
            try {
                thread.interrupt();
            } finally {
                state.set(STOPPED); // even after an exception: the worker waits for this state
            }
        }
        return settings.graceNanos();
    }

    private long left(long now) {
        return deadline == Worker.NEVER ? Worker.NEVER : deadline - now;
    }

    /**
     * Interrupts the worker if it executes no task. It may be waiting in a slow method of a listener or a source.
     * Called some time after the flow was dropped. The interrupt is harmless, because no further task starts.
     */
    void interruptIfIdle() {
        if (state.get() == IDLE) {
            thread.interrupt();
        }
    }

    /**
     * Abandons the worker if its tasks still run one grace period after the interrupt. Returns true if this call
     * abandoned the worker: the supervisor then owns the tasks.
     */
    boolean abandon(long now) {
        return state.get() == STOPPED
                && now - stoppedAt >= settings.graceNanos()
                && state.compareAndSet(STOPPED, ABANDONED);
    }
}
