// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.load.LoadReport;
import io.millrace.load.RowCounts;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A load job, as the endpoints show it.
 *
 * @param when when the job runs at start
 * @param required whether the start fails if the job does not complete
 * @param cron times at which the job runs again
 * @param running whether the job runs at this moment, also with changed options
 * @param last the last ended run with the options of the job
 * @param lastChanged the last ended run with changed options, such as a limit or a dry run
 */
public record LoadView(
        String when,
        boolean required,
        @Nullable String cron,
        boolean running,
        @Nullable RunView last,
        @Nullable RunView lastChanged) {

    /**
     * A run that has ended.
     *
     * @param kind {@code configured}, {@code changed} or {@code dry-run}
     * @param outcome the name of the exit code, such as {@code ok} or {@code rejected}
     * @param shared whether another instance of the fleet has loaded
     * @param problem why the load did not complete, or why rows are unconfirmed
     */
    public record RunView(
            String kind,
            String outcome,
            int exit,
            boolean complete,
            boolean shared,
            String source,
            String target,
            String started,
            double seconds,
            RowCounts rows,
            List<String> warnings,
            @Nullable String problem) {}

    static LoadView of(JobSlot slot) {
        LoadJob job = slot.job();
        JobSlot.State state = slot.state();
        return new LoadView(
                word(job.trigger()),
                job.required(),
                job.cron().map(Object::toString).orElse(null),
                state.running(),
                state.last().map(LoadView::of).orElse(null),
                state.lastChanged().map(LoadView::of).orElse(null));
    }

    private static RunView of(LoadRun run) {
        LoadReport report = run.report();
        return new RunView(
                word(run.kind()),
                word(run.code()),
                run.code().number(),
                run.isComplete(),
                run.shared(),
                report.job().source(),
                report.job().target(),
                report.job().started().toString(),
                report.seconds(),
                report.rows(),
                report.details().warnings(),
                run.isComplete() ? null : FailedLoadException.reason(run));
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
