// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.internal.thread.ClientThreads;
import java.util.Arrays;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A task for an executor of the user: completes the futures of the calls that got their replies in one read, in the
 * order of the replies. Filled by one thread, then handed to the {@link OutcomeDispatcher}.
 */
final class ExecutorTask implements Runnable {

    private final Executor executor;
    private final CallbackSlots slots;
    private final AtomicBoolean started = new AtomicBoolean();

    /** The reader that calls the executor; null if a virtual thread calls it. Written before that call. */
    private @Nullable Thread reader;

    // Written before the task is handed over.
    private CallerSubmission[] calls = new CallerSubmission[1];
    private int count;

    ExecutorTask(Executor executor, CallbackSlots slots) {
        this.executor = executor;
        this.slots = slots;
    }

    Executor executor() {
        return executor;
    }

    int count() {
        return count;
    }

    /** Adds {@code call}, and returns this task. */
    ExecutorTask plus(CallerSubmission call) {
        if (count == calls.length) {
            calls = Arrays.copyOf(calls, Math.max(8, 2 * count));
        }
        calls[count++] = call;
        return this;
    }

    /** The thread {@code thread}, which reads replies, is about to call the executor. */
    void calledBy(Thread thread) {
        reader = thread;
    }

    /**
     * Completes the futures. A second run does nothing: an executor may fail after it has run the task. If the executor
     * runs the task on the reader, a virtual thread completes the futures.
     */
    @Override
    public void run() {
        if (!started.compareAndSet(false, true)) {
            return;
        }
        if (Thread.currentThread().equals(reader)) {
            ClientThreads.startVirtual("millrace-callback", this::complete);
        } else {
            complete();
        }
    }

    private void complete() {
        slots.runOnExecutor(calls, count);
    }
}
