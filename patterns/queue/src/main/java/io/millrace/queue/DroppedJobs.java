// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.queue.LimitedLog.Event;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.LongAdder;

/** Logs the dead jobs that the server drops because there are more than the limit. Thread-safe. */
final class DroppedJobs {

    private final LimitedLog log;
    private final long maxDead;

    /** The number of dropped jobs since the last line of the log about such jobs. */
    private final LongAdder unlogged = new LongAdder();

    DroppedJobs(LimitedLog log, long maxDead) {
        this.log = log;
        this.maxDead = maxDead;
    }

    /** Reads the reply of a script that buries a job: 0, or 1 and the number of dropped jobs. Returns whether it is not 0. */
    boolean readBuried(long reply) {
        add(Math.max(reply - 1, 0));
        return reply > 0;
    }

    void add(long jobs) {
        unlogged.add(jobs);
    }

    void log() {
        long jobs = unlogged.sumThenReset();
        if (jobs > 0) {
            String values = ", jobs=" + jobs + ", maxDead=" + maxDead + ". Redrive or purge the dead jobs in time.";
            log.log(Event.DROPPED, Level.ERROR, "the oldest dead jobs were dropped", values, null);
        }
    }
}
