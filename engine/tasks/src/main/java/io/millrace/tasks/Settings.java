// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.util.concurrent.ThreadFactory;

/**
 * The settings of a flow that do not depend on the type of its tasks.
 *
 * @param name name in threads, messages and events
 * @param consumers number of workers
 * @param batching limits of the batch that a worker takes
 * @param deadlineNanos time limit of a task, {@link Worker#NEVER} for none
 * @param graceNanos maximum time from the interrupt of a thread until the flow abandons the thread
 * @param rate attempts per second, infinite for no limit
 * @param continueOnFailure whether the flow continues when the last attempt of a task has failed, or when a task has
 *     timed out
 */
record Settings(
        String name,
        int consumers,
        Batching batching,
        long deadlineNanos,
        long graceNanos,
        Retry retry,
        double rate,
        boolean continueOnFailure,
        OnStop onStop,
        int recordedFailures,
        ThreadFactory threads,
        ClockAndRandom clockAndRandom) {

    /** The time in nanoseconds, comparable with all deadlines of the flow. */
    long now() {
        return clockAndRandom.clock().getAsLong();
    }

    boolean hasNoRate() {
        return rate == Double.POSITIVE_INFINITY;
    }

    /** Creates a thread, named after its role and number, without starting it. */
    Thread thread(String part, int number, Runnable body) {
        Thread thread = threads.newThread(body);
        thread.setName("millrace-" + name + "-" + part + "-" + number);
        return thread;
    }
}
