// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.queue;

import io.millrace.lab.queue.QueueAdapter.Consumers;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/** Waits for the consumers of a queue. */
final class Progress {

    private static final Duration STEP = Duration.ofNanos(200_000);

    /** Longer than any queue needs for one job. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /**
     * Waits until {@code jobs} jobs are done.
     *
     * @throws TimeoutException if no job is done for a minute
     */
    static void await(Consumers consumers, long jobs) throws Exception {
        long last = -1;
        long lastChange = System.nanoTime();
        for (long done = consumers.done(); done < jobs; done = consumers.done()) {
            consumers.check();
            if (done != last) {
                last = done;
                lastChange = System.nanoTime();
            } else if (System.nanoTime() - lastChange > PATIENCE.toNanos()) {
                throw new TimeoutException("no job is done any more: done=" + done + ", jobs=" + jobs + ".");
            }
            LockSupport.parkNanos(STEP.toNanos());
        }
    }

    private Progress() {}
}
