// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import java.time.Duration;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.concurrent.TimeUnit;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.scheduling.support.CronExpression;

/**
 * Starts a job at the times of a cron expression, in the time zone of the JVM. A time at which the job still runs is left
 * out. Ends with the timer of the jobs.
 */
final class CronTimer {

    private static final Log LOG = LogFactory.getLog("io.millrace.spring");

    private final LoadJobs jobs;
    private final String job;
    private final CronExpression times;

    CronTimer(LoadJobs jobs, String job, CronExpression times) {
        this.jobs = jobs;
        this.job = job;
        this.times = times;
    }

    /** Schedules the next start. Does nothing if the expression has no further time. */
    void start() {
        ZonedDateTime now = ZonedDateTime.now(ZoneId.systemDefault());
        ZonedDateTime next = times.next(now);
        if (next != null && !jobs.timer().isShutdown()) {
            var unused = jobs.timer()
                    .schedule(this::tick, Duration.between(now, next).toNanos(), TimeUnit.NANOSECONDS);
        }
    }

    /**
     * Starts the job, unless it still runs, and schedules the next start.
     *
     * @return whether the job was started
     */
    boolean tick() {
        boolean starts = !jobs.isRunning(job);
        if (starts) {
            try {
                var unused = jobs.start(job);
            } catch (IllegalStateException shuttingDown) {
                return false;
            }
        } else {
            LOG.warn("the load job " + job + " still runs, so a time of its cron expression is left out");
        }
        start();
        return starts;
    }
}
