// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import io.millrace.client.CommandCounts;
import io.millrace.client.FusionCounts;
import io.millrace.client.NodeCounts;
import io.millrace.load.LoadReport;
import io.millrace.load.LoadReport.Times;
import io.millrace.load.LoadReport.Verified;
import io.millrace.load.RowCounts;
import io.millrace.load.target.Repetition;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Combines reports. */
final class Reports {

    /** Maximum number of warnings in the report of a job. */
    private static final int MAX_WARNINGS = 20;

    private Reports() {}

    /** {@code report} with the result of a verification. */
    static LoadReport withVerified(LoadReport report, Verified verified) {
        return new LoadReport(
                report.ending(),
                report.job(),
                report.rows(),
                report.commands(),
                report.fusion(),
                report.seconds(),
                report.cpuSeconds(),
                report.bytesSent(),
                report.peakInFlight(),
                report.time(),
                report.bottleneck(),
                Optional.of(verified),
                report.server(),
                report.details());
    }

    /**
     * The sum of the reports of the admitted attempts. The CPU time of a process is not known for a single task, so the
     * sum has none. The bottleneck is the bottleneck of the longest attempt.
     *
     * @param seconds time of the whole job
     */
    static LoadReport sum(LoadReport.Ending ending, LoadReport.Job job, List<LoadReport> reports, double seconds) {
        RowCounts rows = new RowCounts(0, 0, 0, 0, 0);
        CommandCounts commands = CommandCounts.NONE;
        FusionCounts fusion = FusionCounts.NONE;
        Times time = new Times(0, 0, 0, 0);
        long bytes = 0;
        long peak = 0;
        long evicted = 0;
        for (LoadReport report : reports) {
            rows = plus(rows, report.rows());
            commands = commands.plus(report.commands());
            fusion = fusion.plus(report.fusion());
            time = plus(time, report.time());
            bytes += report.bytesSent();
            peak = Math.max(peak, report.peakInFlight());
            evicted = Math.max(evicted, report.details().evictedKeys());
        }
        Optional<LoadReport> longest = reports.stream().max(Comparator.comparingDouble(LoadReport::seconds));
        return new LoadReport(
                ending,
                job,
                rows,
                commands,
                fusion,
                seconds,
                0,
                bytes,
                peak,
                time,
                longest.map(LoadReport::bottleneck).orElse(LoadReport.Bottleneck.SOURCE),
                verified(reports),
                reports.stream().flatMap(report -> report.server().stream()).findFirst(),
                details(reports, evicted));
    }

    private static LoadReport.Details details(List<LoadReport> reports, long evicted) {
        List<String> warnings = reports.stream()
                .flatMap(report -> report.details().warnings().stream())
                .distinct()
                .limit(MAX_WARNINGS)
                .toList();
        Repetition repetition = reports.stream()
                .map(report -> report.details().repetition())
                .max(Comparator.comparingInt(Enum::ordinal))
                .orElse(Repetition.CHANGES_NOTHING);
        long takenBack = reports.stream()
                .mapToLong(report -> report.details().takenBackRows())
                .sum();
        return new LoadReport.Details(
                        Optional.empty(),
                        List.of(),
                        takenBack,
                        evicted,
                        warnings,
                        repetition,
                        Optional.empty(),
                        Optional.empty())
                .withNodes(NodeCounts.sum(reports.stream()
                        .flatMap(report -> report.details().nodes().stream())
                        .toList()));
    }

    private static Optional<Verified> verified(List<LoadReport> reports) {
        return reports.stream()
                .flatMap(report -> report.verified().stream())
                .reduce((a, b) -> new Verified(a.checked() + b.checked(), a.mismatched() + b.mismatched()));
    }

    private static RowCounts plus(RowCounts a, RowCounts b) {
        return new RowCounts(
                a.read() + b.read(),
                a.written() + b.written(),
                a.rejected() + b.rejected(),
                a.skipped() + b.skipped(),
                a.unconfirmed() + b.unconfirmed());
    }

    private static Times plus(Times a, Times b) {
        return new Times(
                a.source() + b.source(), a.mapping() + b.mapping(), a.window() + b.window(), a.socket() + b.socket());
    }
}
