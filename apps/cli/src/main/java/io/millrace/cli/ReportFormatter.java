// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.client.FusionCounts;
import io.millrace.client.Setting.Unit;
import io.millrace.load.LoadOptions;
import io.millrace.load.LoadPlan;
import io.millrace.load.LoadReport;
import io.millrace.load.LoadReport.Ending;
import io.millrace.load.LoadReport.Job.Kind;
import io.millrace.load.ReloadResult;
import io.millrace.load.RowCounts;
import io.millrace.load.RowRange;
import io.millrace.load.source.RowOrder;
import io.millrace.load.source.RowSource;
import io.millrace.load.target.Repetition;
import io.millrace.load.target.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.stream.Collectors;

/** Formats a report for people. */
final class ReportFormatter {

    private static final int RANGES_SHOWN = 3;

    private ReportFormatter() {}

    /** Formats the report as a few lines. The last line always contains the row counts. */
    static String lines(LoadReport report, LoadPlan plan) {
        RowSource rows = plan.source();
        String source = rows.name();
        StringBuilder text = new StringBuilder();
        text.append(report.server()
                .map(server -> withServer(report, source, server))
                .orElseGet(() -> withoutServer(report, source)));
        if (!(report.ending() instanceof Ending.Failed)) {
            text.append("time: ").append(report.time().summary()).append("; bottleneck: ");
            text.append(report.bottleneck().name().toLowerCase(Locale.ROOT)).append('\n');
        }
        if (report.fusion().fusedBatches() > 0) {
            text.append(fusion(report.fusion()));
        }
        text.append(nodes(report.details()));
        report.details()
                .checkpoint()
                .filter(checkpoint -> checkpoint.resumedAfter() > 0)
                .ifPresent(checkpoint -> text.append("resumed: after ")
                        .append(Unit.COUNT.text(checkpoint.resumedAfter()))
                        .append(" rows of an earlier load, which count as skipped\n"));
        report.details().rowsPerKey().ifPresent(repeated -> text.append(repetition(report, repeated, rows.order())));
        report.verified().ifPresent(verified -> text.append(verification(report, verified, plan.target())));
        report.details().reloaded().ifPresent(reloaded -> text.append(reload(reloaded, report.rows())));
        return text.append(report.summary()).toString();
    }

    private static String withServer(LoadReport report, String source, LoadReport.Server server) {
        String name = server.name() + " " + server.version() + " (" + server.mode() + ")";
        boolean compares = report.job().kind() == Kind.VERIFICATION;
        String unverified = !compares && report.ending() instanceof Ending.Unverified
                ? ", but the verification did not complete"
                : "";
        return (compares ? comparing(report.ending()) + source + " with " : loading(report) + source + " into ") + name
                + unverified + "\n";
    }

    private static String comparing(Ending ending) {
        return switch (ending) {
            case Ending.Completed completed -> "compared ";
            case Ending.Stopped stopped -> "stopped while comparing ";
            case Ending.Unverified unverified -> "stopped while comparing ";
            case Ending.Interrupted interrupted -> "interrupted while comparing ";
            case Ending.Failed failed -> "failed while comparing ";
        };
    }

    private static String repetition(LoadReport report, LoadReport.RowsPerKey repeated, RowOrder order) {
        String which = report.details().repetition() == Repetition.LEAVES_ROW_OUT ? "the first " : "the last ";
        return "keys: " + Unit.COUNT.text(repeated.rows()) + " rows, " + (repeated.exact() ? "" : "about ")
                + Unit.COUNT.text(repeated.keys()) + " keys; of the rows of one key, only "
                + (order == RowOrder.NONE ? "" : which)
                + "one remains\n";
    }

    private static String withoutServer(LoadReport report, String source) {
        if (report.ending() instanceof Ending.Interrupted && report.rows().read() == 0) {
            return "interrupted before the first row of " + source + ": nothing was written\n";
        }
        if (report.ending() instanceof Ending.Failed) {
            return "failed " + (report.rows().read() == 0 ? "before the first row of " : "while reading ") + source
                    + "\n";
        }
        return report.job().kind() != Kind.DRY_RUN
                ? "interrupted while loading " + source + "\n"
                : "dry run of " + source + ": Redis was not contacted" + end(report.ending()) + "\n";
    }

    private static String fusion(FusionCounts fusion) {
        return "fused: " + Unit.COUNT.text(fusion.commands()) + " commands into "
                + Unit.COUNT.text(fusion.fusedBatches()) + "\n";
    }

    /** A line for each node of a cluster, and one for the redirects; empty for another server. */
    private static String nodes(LoadReport.Details details) {
        if (details.nodes().isEmpty()) {
            return "";
        }
        return details.nodes().stream()
                .map(node -> "node " + node.summary() + "\n")
                .collect(Collectors.joining("", "redirects: " + Unit.COUNT.text(details.redirects()) + "\n", ""));
    }

    private static String reload(ReloadResult reloaded, RowCounts rows) {
        if (reloaded.pending()) {
            return "old data: partly replaced; the next run of this job completes the replacement\n";
        }
        if (reloaded.obstacle().isPresent()) {
            return (rows.written() == 0 ? "old data: unchanged: " : "old data: no key was removed: ")
                    + reloaded.obstacle().get() + "\n";
        }
        StringJoiner parts =
                new StringJoiner(", ", "old data: ", "\n").setEmptyValue("old data: no key was replaced or removed\n");
        if (reloaded.swapped() > 0) {
            parts.add(keys(reloaded.swapped()) + " swapped");
        }
        if (reloaded.pruned() > 0) {
            parts.add(keys(reloaded.pruned()) + " removed");
        }
        if (reloaded.foreign() > 0) {
            parts.add(keys(reloaded.foreign()) + " of another type kept");
        }
        return parts.toString();
    }

    private static String keys(long count) {
        return Unit.COUNT.text(count) + (count == 1 ? " key" : " keys");
    }

    private static String verification(LoadReport report, LoadReport.Verified verified, Target target) {
        String limits = report.job().kind() == Kind.VERIFICATION
                ? "not compared: " + target.whatVerificationLeavesOut()
                        + " in Redis that no row of the source has. To remove them, load with --prune (keys of an earlier"
                        + " run of the job) or --swap (whole keys)\n"
                : "";
        return "verified: " + Unit.COUNT.text(verified.checked()) + " rows read back, "
                + Unit.COUNT.text(verified.mismatched()) + " differ\n" + limits;
    }

    /**
     * The start of the first line. The line begins with "loaded" only if rows were written, and the outcome of every row
     * is known.
     */
    private static String loading(LoadReport report) {
        return switch (report.ending()) {
            case Ending.Completed completed -> sent(report.rows());
            case Ending.Unverified unverified -> sent(report.rows());
            case Ending.Stopped stopped ->
                report.details().reloaded().filter(ReloadResult::loadCompleted).isPresent()
                        ? "stopped after loading "
                        : "stopped while loading ";
            case Ending.Interrupted interrupted -> "interrupted while loading ";
            case Ending.Failed failed -> "failed while loading ";
        };
    }

    private static String sent(RowCounts rows) {
        if (rows.unconfirmed() > 0) {
            return "sent, but some rows are unconfirmed: ";
        }
        return rows.written() > 0 ? "loaded " : "nothing was written: ";
    }

    private static String end(Ending ending) {
        return switch (ending) {
            case Ending.Completed completed -> "";
            case Ending.Stopped stopped -> "; the dry run stopped before the end of the source";
            case Ending.Unverified unverified -> "";
            case Ending.Failed failed -> "; the dry run failed";
            case Ending.Interrupted interrupted -> "; the dry run was interrupted before the end of the source";
        };
    }

    /** Further messages for standard error, one line each. */
    static List<String> messages(LoadReport report, LoadOptions options) {
        List<String> notes = new ArrayList<>();
        switch (report.ending()) {
            case Ending.Completed completed -> {}
            case Ending.Stopped stopped -> notes.add("stopped: " + stopped.why());
            case Ending.Unverified unverified -> notes.add("not verified: " + unverified.why());
            case Ending.Failed failed -> notes.add(failed.why());
            case Ending.Interrupted interrupted ->
                notes.add(
                        report.rows().unconfirmed() == 0
                                ? "interrupted; all commands in flight have been answered."
                                : "interrupted; some commands in flight have not been answered.");
        }
        long timedOut = report.commands().timedOut();
        if (timedOut > 0) {
            notes.add(String.format(
                    Locale.ROOT,
                    "%,d %s had no reply within %s: their rows are unconfirmed.",
                    timedOut,
                    timedOut == 1 ? "command" : "commands",
                    DurationText.text(options.timeout())));
        }
        unconfirmed(report.details()).ifPresent(notes::add);
        report.repetitionWarning().ifPresent(notes::add);
        report.details().checkpoint().flatMap(LoadReport.Checkpoint::advice).ifPresent(notes::add);
        boolean told = report.ending() instanceof Ending.Unverified;
        if (options.verify().share() > 0 && report.verified().isEmpty() && !told) {
            notes.add("not verified: the load or its verification did not complete.");
        }
        return notes;
    }

    /** Names the first ranges of unconfirmed rows; empty if there are none. */
    private static Optional<String> unconfirmed(LoadReport.Details details) {
        List<RowRange> ranges = details.unconfirmedRows();
        if (ranges.isEmpty()) {
            return Optional.empty();
        }
        String first = ranges.stream().limit(RANGES_SHOWN).map(RowRange::text).collect(Collectors.joining(", "));
        String more = ranges.size() > RANGES_SHOWN
                ? " and " + (ranges.size() - RANGES_SHOWN) + " more ranges (see the JSON report or --rejects)"
                : "";
        boolean canResume = details.checkpoint()
                .map(LoadReport.Checkpoint::state)
                .filter(LoadReport.Checkpoint.State.CAN_RESUME::equals)
                .isPresent();
        return Optional.of("unconfirmed: " + first + more
                + ". "
                + (canResume
                        ? "These rows are written if you continue with --resume."
                        : details.repetition().advice()));
    }
}
