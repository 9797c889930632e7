// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.time.Duration;

/**
 * A flow that was started. For any number of threads.
 *
 * @param <T> a task
 */
public final class RunningFlow<T> implements AutoCloseable {

    private final Supervisor<T> supervisor;
    private final OnStop onStop;

    RunningFlow(Supervisor<T> supervisor, OnStop onStop) {
        this.supervisor = supervisor;
        this.onStop = onStop;
    }

    OnStop onStop() {
        return onStop;
    }

    /** What became of its tasks up to now. Does not block. */
    public TaskCounts counts() {
        return supervisor.account().counts();
    }

    /** Whether it has ended, and {@link #await} returns at once. */
    public boolean isEnded() {
        return supervisor.isEnded();
    }

    /** Asks it to stop, doing with its tasks as {@link Flow#onStop} says. Does not wait for the end; the first reason counts. */
    public void cancel() {
        cancel(onStop);
    }

    /** The same, but doing as {@code how} says. One that drains can still be told to drop. */
    public void cancel(OnStop how) {
        supervisor.stop(Ending.CANCELLED, null, how);
    }

    /**
     * Waits for the end. If this thread is interrupted meanwhile the flow is stopped, and dropped if it is interrupted again; the end
     * is waited for nevertheless, so that there is a report, and the thread's interrupt flag is set again.
     *
     * @return what became of a flow that has come to its natural end, or was cancelled
     * @throws FlowException if it stopped for another reason
     */
    public FlowReport<T> await() {
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
     * Waits for the end for as long as {@code most}.
     *
     * @return whether it has ended; {@link #await()} then returns at once
     * @throws InterruptedException if this thread is interrupted; the flow goes on
     */
    public boolean await(Duration most) throws InterruptedException {
        return supervisor.join(most);
    }

    /** Cancels it, dropping what it has, unless it has ended, and waits for the end. */
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
