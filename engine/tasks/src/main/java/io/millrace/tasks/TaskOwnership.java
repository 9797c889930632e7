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

    /** The worker writes this field before it sets the state to WORKING. The supervisor reads it after that. */
    private long deadline = Worker.NEVER;

    /** The supervisor writes this field before it sets the state to STOPPED. The worker reads it after that. */
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
     * Clears an earlier interrupt and starts an attempt. The earlier interrupt has no meaning, because the supervisor
     * interrupts an idle worker only if no further attempt starts.
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
        // A task that starts now is not late before the next check.
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
            thread.interrupt();
            state.set(STOPPED);
        }
        return settings.graceNanos();
    }

    private long left(long now) {
        return deadline == Worker.NEVER ? Worker.NEVER : deadline - now;
    }

    /**
     * Interrupts a worker that executes no task, because it may wait in a slow listener or source. Called some time
     * after the flow was dropped. An interrupt between tasks is harmless, because no further task starts.
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
