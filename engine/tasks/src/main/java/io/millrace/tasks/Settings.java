// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.util.concurrent.ThreadFactory;

/**
 * How a flow runs: what of its builder does not depend on the tasks' type.
 *
 * @param name in the names of its threads, in its messages and events
 * @param consumers how many workers
 * @param batching what a worker takes at once
 * @param deadlineNanos for each task, {@link Worker#NEVER} for none
 * @param graceNanos how long after an interrupt a thread is waited for
 * @param rate attempts a second, infinite for no limit
 * @param carryOn whether the flow goes on when a task has failed for good or has timed out
 */
record Settings(
        String name,
        int consumers,
        Batching batching,
        long deadlineNanos,
        long graceNanos,
        Retry retry,
        double rate,
        boolean carryOn,
        OnStop onStop,
        int keptFailures,
        ThreadFactory threads) {

    boolean hasNoRate() {
        return rate == Double.POSITIVE_INFINITY;
    }

    /** A thread that is not started, named after its part and number. */
    Thread thread(String part, int number, Runnable body) {
        Thread thread = threads.newThread(body);
        thread.setName("millrace-" + name + "-" + part + "-" + number);
        return thread;
    }
}
