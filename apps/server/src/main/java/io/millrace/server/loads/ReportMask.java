// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.loads;

import io.millrace.client.NodeCounts;
import io.millrace.load.LoadReport;
import io.millrace.load.LoadReport.Details;
import io.millrace.load.LoadReport.Ending;
import io.millrace.load.ReloadResult;
import io.millrace.load.RowRange;
import io.millrace.load.source.SourceException;
import io.millrace.spring.LoadRun;
import java.util.ArrayList;
import java.util.List;

/** The report of a run without the texts that must not leave the server. Only sentences are masked, never names of fields. */
final class ReportMask {

    private static final String LOG = " The log of the server has the reason.";

    private ReportMask() {}

    /** Returns the report: the name of the job replaces the source and the target, and the sentences are masked. */
    static LoadReport masked(LoadRun run, TextMask mask) {
        LoadReport report = run.report();
        LoadReport.Job job = report.job();
        return report.with(
                ending(run, mask),
                new LoadReport.Job(job.kind(), run.job(), "job " + run.job(), job.started()),
                details(report.details(), mask));
    }

    /** Why the load did not complete; masked. */
    static String problem(LoadReport masked) {
        return masked.ending().reason().or(masked::unconfirmedReason).orElseGet(masked::summary);
    }

    /** Of a source that cannot be opened, only the kind of the failure is shown. */
    private static Ending ending(LoadRun run, TextMask mask) {
        if (run.failure().orElse(null) instanceof SourceException source) {
            return new Ending.Failed(kind(source.kind()));
        }
        return switch (run.report().ending()) {
            case Ending.Stopped stopped -> new Ending.Stopped(mask.text(stopped.why()));
            case Ending.Unverified unverified -> new Ending.Unverified(mask.text(unverified.why()));
            case Ending.Failed failed -> new Ending.Failed(mask.text(failed.why()));
            case Ending.Completed completed -> completed;
            case Ending.Interrupted interrupted -> interrupted;
        };
    }

    private static String kind(SourceException.Kind kind) {
        return switch (kind) {
            case UNREACHABLE -> "The database of the job cannot be reached, or refuses the login." + LOG;
            case UNUSABLE -> "The source of the job does not exist, or does not have the expected form." + LOG;
            case BROKEN -> "The source of the job could not be read." + LOG;
        };
    }

    private static Details details(Details details, TextMask mask) {
        return new Details(
                        details.rowsPerKey(),
                        details.unconfirmedRows().stream()
                                .map(ReportMask::withoutFile)
                                .toList(),
                        details.takenBackRows(),
                        details.evictedKeys(),
                        details.warnings().stream().map(mask::text).toList(),
                        details.repetition(),
                        details.reloaded().map(reloaded -> masked(reloaded, mask)),
                        details.checkpoint().map(ReportMask::withoutPlace))
                .withNodes(withoutAddresses(details.nodes()));
    }

    /** The nodes of a cluster, with numbers in place of their addresses. */
    private static List<NodeCounts> withoutAddresses(List<NodeCounts> nodes) {
        List<NodeCounts> numbered = new ArrayList<>();
        for (NodeCounts node : nodes) {
            numbered.add(new NodeCounts("node " + (numbered.size() + 1), node.commands(), node.redirected()));
        }
        return numbered;
    }

    private static RowRange withoutFile(RowRange range) {
        return new RowRange(
                range.firstRow(), range.lastRow(), range.firstLine(), range.lastLine(), range.unconfirmed(), "");
    }

    private static ReloadResult masked(ReloadResult reloaded, TextMask mask) {
        return new ReloadResult(
                reloaded.swapped(),
                reloaded.pruned(),
                reloaded.foreign(),
                reloaded.obstacle().map(mask::text),
                reloaded.pending());
    }

    private static LoadReport.Checkpoint withoutPlace(LoadReport.Checkpoint checkpoint) {
        return new LoadReport.Checkpoint(
                checkpoint.name(), "***", checkpoint.resumedAfter(), checkpoint.rows(), checkpoint.state());
    }
}
