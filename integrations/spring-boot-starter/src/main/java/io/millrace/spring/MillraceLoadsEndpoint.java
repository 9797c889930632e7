// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * The endpoint {@code millraceloads}: reads, starts ({@code POST}) and stops ({@code DELETE}) load jobs. An unknown job has no
 * result (404).
 */
@Endpoint(id = "millraceloads")
final class MillraceLoadsEndpoint {

    private final LoadJobs jobs;

    MillraceLoadsEndpoint(LoadJobs jobs) {
        this.jobs = jobs;
    }

    @ReadOperation
    Map<String, LoadView> all() {
        return MillraceEndpoint.views(jobs);
    }

    @ReadOperation
    @Nullable
    LoadView one(@Selector String job) {
        return jobs.names().contains(job) ? jobs.view(job) : null;
    }

    /** Starts a job, or joins its current run. Does not wait for its end. */
    @WriteOperation
    @Nullable
    LoadView start(@Selector String job) {
        if (jobs.names().contains(job)) {
            var unused = jobs.start(job);
        }
        return one(job);
    }

    /** Stops the current run of a job. Does not wait for its end. */
    @DeleteOperation
    @Nullable
    LoadView stop(@Selector String job) {
        if (jobs.names().contains(job)) {
            var unused = jobs.stop(job);
        }
        return one(job);
    }
}
