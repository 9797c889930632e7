// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.queue.LimitedLog.Event;
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
        } catch (Throwable e) { // also a checked exception of a language without checked exceptions
            warn(
                    "the handler of dead jobs failed",
                    job.id(),
                    "Mend the handler: the worker does not call it again.",
                    e);
        }
    }

    /** Calls the handler on a thread of its own, for an abandoned job. */
    void callElsewhere(Job<T> job, Throwable failure) {
        Thread unused = Thread.ofVirtual()
                .inheritInheritableThreadLocals(false)
                .name("millrace-dead-job")
                .start(() -> call(job, failure));
    }

    /** Calls the handler on a separate thread, for a job that the server has buried. */
    void buried(BuriedJob<T> buried) {
        String values = ", job=" + buried.job().id() + ", deaths=" + buried.deaths()
                + ". Find out why the processes ended, then redrive the job.";
        context.log().log(Event.DEAD, Level.WARNING, "a job is dead, because its workers died", values, null);
        try {
            context.threads().executor().execute(() -> callDecoded(buried));
        } catch (Throwable e) { // the executor of the user rejected the call
            warn(
                    "the handler of dead jobs was not called",
                    buried.job().id(),
                    "The executor of the worker rejected the call: give the executor more room.",
                    e);
        }
    }

    private void callDecoded(BuriedJob<T> buried) {
        Job<T> job;
        try {
            job = buried.job().decode();
        } catch (Throwable e) { // thrown by the codec
            warn(
                    "the handler of dead jobs was not called, because the payload cannot be decoded",
                    buried.job().id(),
                    "Give the worker the codec of the producers.",
                    e);
            return;
        }
        call(job, QueueException.workersDied(context.queue(), buried.job().id(), buried.deaths()));
    }

    private void warn(String problem, String id, String advice, Throwable failure) {
        String values = ", job=" + id + ". " + advice + " The job is in the list of dead jobs.";
        context.log().log(Event.DEAD, Level.WARNING, problem, values, failure);
    }
}
