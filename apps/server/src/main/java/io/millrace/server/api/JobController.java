// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.api;

import io.millrace.spring.LoadJobs;
import io.millrace.spring.LoadView;
import io.millrace.spring.LoadView.RunView;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The jobs of the configuration. Their sources and targets are not shown. */
@RestController
class JobController {

    private final LoadJobs jobs;
    private final Answers answers;

    JobController(LoadJobs jobs, Answers answers) {
        this.jobs = jobs;
        this.answers = answers;
    }

    /**
     * A job.
     *
     * @param when when the job runs at start
     * @param last name of the exit code of its last run
     */
    record JobView(
            String name,
            String when,
            boolean required,
            @Nullable String cron,
            boolean running,
            @Nullable String last) {}

    @GetMapping("/jobs")
    @Forms({Forms.JSON, Forms.TEXT})
    ResponseEntity<byte[]> all(HttpServletRequest request) {
        List<JobView> views = jobs.names().stream().map(this::view).toList();
        return answers.object(request, Map.of("jobs", views));
    }

    private JobView view(String name) {
        LoadView job = jobs.view(name);
        RunView last = job.last();
        return new JobView(
                name, job.when(), job.required(), job.cron(), job.running(), last == null ? null : last.outcome());
    }
}
