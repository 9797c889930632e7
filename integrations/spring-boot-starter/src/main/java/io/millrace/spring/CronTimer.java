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
 * out. After any failure, the next time is another attempt. Ends with the timer of the jobs.
 */
final class CronTimer {

    private final LoadJobs jobs;
    private final String job;
    private final CronExpression times;
    private final Log log;

    /** Writes to the log of the starter. */
    CronTimer(LoadJobs jobs, String job, CronExpression times) {
        this(jobs, job, times, LogFactory.getLog("io.millrace.spring"));
    }

    CronTimer(LoadJobs jobs, String job, CronExpression times, Log log) {
        this.jobs = jobs;
        this.job = job;
        this.times = times;
        this.log = log;
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
        try {
            return begin();
        } catch (RuntimeException | Error failure) {
            log.warn("a time of the cron expression of the load job " + job + " is left out", failure);
            return false;
        } finally {
            start();
        }
    }

    private boolean begin() {
        if (jobs.isBlocked(job)) {
            log.warn("a time of the cron expression of the load job " + job + " is left out: " + LoadJobs.blocked(job));
            return false;
        }
        if (jobs.isRunning(job)) {
            log.warn("the load job " + job + " still runs, so a time of its cron expression is left out");
            return false;
        }
        return jobs.startUnlessClosed(job).isPresent();
    }
}
