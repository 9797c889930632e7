// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.loads;

import io.millrace.load.LoadReport;
import io.millrace.load.LoadReportJson;
import io.millrace.spring.LoadRun;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A load as the load log remembers it. A load without an outcome still runs, or was cut by the end of the process.
 *
 * @param verify share of the rows that is verified, if the request has changed it
 * @param outcome name of the exit code of the command line, such as {@code ok}, or {@code cut}; null while the load runs
 * @param problem why the load did not complete; masked
 * @param report the JSON of the command line; masked; null if there is none
 * @param rejects the first rejected rows, a JSON object each
 */
public record LoadRecord(
        long id,
        String job,
        Instant started,
        @Nullable Long limit,
        boolean dryRun,
        @Nullable Double verify,
        @Nullable Instant ended,
        @Nullable String outcome,
        @Nullable Integer exit,
        @Nullable String problem,
        @Nullable JsonNode report,
        List<String> rejects) {

    /** The outcome of a load that the end of its process has cut. */
    static final String CUT = "cut";

    public LoadRecord {
        Objects.requireNonNull(job, "job");
        Objects.requireNonNull(started, "started");
        report = report == null || report.isNull() ? null : report;
        rejects = rejects == null ? List.of() : List.copyOf(rejects);
    }

    static LoadRecord started(long id, String job, LoadRequest request, Instant now) {
        return new LoadRecord(
                id,
                job,
                now,
                request.limit().isPresent() ? request.limit().getAsLong() : null,
                request.dryRun(),
                request.verify().map(verification -> verification.share()).orElse(null),
                null,
                null,
                null,
                null,
                null,
                List.of());
    }

    /** Whether the load has ended or was cut. */
    public boolean hasEnded() {
        return outcome != null;
    }

    LoadRecord endedWith(LoadRun run, List<String> rejected, Instant now) {
        String problem = run.isComplete() ? null : problem(run);
        return new LoadRecord(
                id,
                job,
                started,
                limit,
                dryRun,
                verify,
                now,
                run.code().name().toLowerCase(Locale.ROOT),
                run.code().number(),
                problem,
                masked(run),
                rejected);
    }

    /** The record of a load whose process has ended without the end of the load. The time of the end is not known. */
    LoadRecord cut() {
        return new LoadRecord(
                id,
                job,
                started,
                limit,
                dryRun,
                verify,
                null,
                CUT,
                null,
                "The server ended during the load. Rows may have been written. Start the job again.",
                null,
                List.of());
    }

    private static String problem(LoadRun run) {
        LoadReport report = run.report();
        return TextMask.of(
                report.ending().reason().or(report::unconfirmedReason).orElseGet(report::summary));
    }

    /** The report without the address of the source and of the server. */
    private static JsonNode masked(LoadRun run) {
        LoadReport report = run.report();
        LoadReport.Job job = report.job();
        LoadReport named = new LoadReport(
                report.ending(),
                new LoadReport.Job(job.kind(), run.job(), "job " + run.job(), job.started()),
                report.rows(),
                report.commands(),
                report.fusion(),
                report.seconds(),
                report.cpuSeconds(),
                report.bytesSent(),
                report.peakInFlight(),
                report.time(),
                report.bottleneck(),
                report.verified(),
                report.server(),
                report.details());
        JsonNode tree =
                JsonMapper.shared().readTree(LoadReportJson.of(named, run.code().number()));
        return ReportMask.texts(tree);
    }
}
