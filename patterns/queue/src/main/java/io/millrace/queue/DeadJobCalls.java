// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import java.lang.System.Logger.Level;

/** Calls the user's handler of dead jobs. Does not throw. Thread-safe. */
final class DeadJobCalls<T> {

    private final JobRunner.Context<T> context;

    DeadJobCalls(JobRunner.Context<T> context) {
        this.context = context;
    }

    /** Calls the handler on the current thread. */
    void call(Job<T> job, Throwable failure) {
        try {
            context.onDead().accept(job, failure);
        } catch (RuntimeException | Error e) {
            warn("the handler of dead jobs failed", job.id(), e);
        }
    }

    /** Calls the handler on a separate thread, for a job that the server has buried. */
    void buried(BuriedJob<T> buried) {
        try {
            context.executor().execute(() -> callDecoded(buried));
        } catch (RuntimeException e) { // the executor of the user rejected the call
            warn("the handler of dead jobs was not called", buried.job().id(), e);
        }
    }

    private void callDecoded(BuriedJob<T> buried) {
        Job<T> job;
        try {
            job = buried.job().decode();
        } catch (RuntimeException e) { // thrown by the codec
            warn("a dead job cannot be decoded", buried.job().id(), e);
            return;
        }
        call(job, QueueException.workersDied(buried.deaths()));
    }

    private void warn(String problem, String id, Throwable failure) {
        QueueLog.logger().log(Level.WARNING, problem + ": queue=" + context.queue() + ", job=" + id, failure);
    }
}
