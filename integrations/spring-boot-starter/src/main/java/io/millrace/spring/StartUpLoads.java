// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import java.util.List;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.core.Ordered;

/**
 * Runs the jobs before the application is ready, one after the other in the order of their names. Then starts the jobs
 * in the background and the timers of {@code cron}. Other runners of the application run later, unless they have an
 * order below 0.
 */
final class StartUpLoads implements ApplicationRunner, Ordered {

    private final LoadJobs jobs;

    StartUpLoads(LoadJobs jobs) {
        this.jobs = jobs;
    }

    @Override
    public void run(ApplicationArguments arguments) {
        jobsWith(LoadTrigger.BEFORE_READY).forEach(jobs::runAtStart);
        jobsWith(LoadTrigger.BACKGROUND).forEach(job -> {
            var unused = jobs.startUnlessClosed(job.name());
        });
        jobs.jobs().forEach(job -> job.cron().ifPresent(times -> new CronTimer(jobs, job.name(), times).start()));
    }

    private List<LoadJob> jobsWith(LoadTrigger trigger) {
        return jobs.jobs().stream().filter(job -> job.trigger() == trigger).toList();
    }

    @Override
    public int getOrder() {
        return 0;
    }
}
