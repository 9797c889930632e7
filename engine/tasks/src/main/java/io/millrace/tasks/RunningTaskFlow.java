// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.time.Duration;

/**
 * A flow that was started. Thread-safe.
 *
 * @param <T> type of a task
 */
public final class RunningTaskFlow<T> implements AutoCloseable {

    private final Supervisor<T> supervisor;
    private final OnStop onStop;

    RunningTaskFlow(Supervisor<T> supervisor, OnStop onStop) {
        this.supervisor = supervisor;
        this.onStop = onStop;
    }

    OnStop onStop() {
        return onStop;
    }

    /** The current counts of outcomes. Does not block. */
    public TaskCounts counts() {
        return supervisor.stats().counts();
    }

    /** Whether the flow has ended, so that {@link #await} returns at once. */
    public boolean isEnded() {
        return supervisor.isEnded();
    }

    /**
     * Requests a stop, and does not wait for the end of the flow. {@link TaskFlow#onStop} determines whether the
     * remaining tasks are executed. If the flow is already stopping for another reason, the report contains the other
     * reason.
     */
    public void cancel() {
        cancel(onStop);
    }

    /** Requests a stop as given by {@code mode}. A flow that drains can still be dropped. */
    public void cancel(OnStop mode) {
        supervisor.stop(Ending.CANCELLED, null, mode);
    }

    /**
     * Waits for the end of the flow. If this thread is interrupted, the flow stops as set by {@link TaskFlow#onStop}. A
     * second interrupt drops the flow. After each interrupt this method still waits for the end of the flow, so that
     * there is a report. Then the method sets the interrupt flag again.
     *
     * @return report of a flow that completed or was cancelled
     * @throws TaskFlowException if the flow stopped for another reason
     */
    public TaskFlowReport<T> await() {
        boolean interrupted = false;
        while (true) {
            try {
                supervisor.join();
                break;
            } catch (InterruptedException e) {
                supervisor.stop(Ending.INTERRUPTED, null, interrupted ? OnStop.DROP : onStop);
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return supervisor.result();
    }

    /**
     * Waits at most {@code timeout} for the end.
     *
     * @return whether the flow has ended, so that {@link #await()} returns at once
     * @throws InterruptedException if this thread is interrupted; the flow continues
     */
    public boolean await(Duration timeout) throws InterruptedException {
        return supervisor.join(timeout);
    }

    /** If the flow has not ended, cancels the flow, drops its tasks, and waits for its end. */
    @Override
    public void close() {
        cancel(OnStop.DROP);
        boolean interrupted = false;
        while (!isEnded()) {
            try {
                supervisor.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
