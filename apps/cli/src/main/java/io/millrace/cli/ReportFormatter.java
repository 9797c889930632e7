// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.client.FusionCounts;
import io.millrace.client.Setting.Unit;
import io.millrace.load.LoadOptions;
import io.millrace.load.LoadReport;
import io.millrace.load.LoadReport.Ending;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Formats a report for people. */
final class ReportFormatter {

    private ReportFormatter() {}

    /** Formats the report as a few lines. The last line always contains the row counts. */
    static String lines(LoadReport report, String source) {
        StringBuilder text = new StringBuilder();
        text.append(report.server()
                .map(server ->
                        loading(report) + source + " into Redis " + server.version() + " (" + server.mode() + ")\n")
                .orElseGet(() -> withoutServer(report, source)));
        text.append("time: ").append(report.time().summary()).append("; bottleneck: ");
        text.append(report.bottleneck().name().toLowerCase(Locale.ROOT)).append('\n');
        if (report.fusion().fusedBatches() > 0) {
            text.append(fusion(report.fusion()));
        }
        report.verified().ifPresent(verified -> text.append(verification(verified)));
        return text.append(report.summary()).toString();
    }

    private static String withoutServer(LoadReport report, String source) {
        return report.ending() instanceof Ending.Interrupted && report.rows().read() == 0
                ? "interrupted before the first row of " + source + ": nothing was written\n"
                : "dry run of " + source + ": Redis was not contacted" + end(report.ending()) + "\n";
    }

    private static String fusion(FusionCounts fusion) {
        return "fused: " + Unit.COUNT.text(fusion.commands()) + " commands into "
                + Unit.COUNT.text(fusion.fusedBatches()) + "\n";
    }

    private static String verification(LoadReport.Verified verified) {
        return "verified: " + Unit.COUNT.text(verified.checked()) + " rows read back, "
                + Unit.COUNT.text(verified.mismatched()) + " differ\n";
    }

    /** The start of the first line. The line begins with "loaded" only if the outcome of every row is known. */
    private static String loading(LoadReport report) {
        return switch (report.ending()) {
            case Ending.Completed completed ->
                report.rows().unconfirmed() == 0 ? "loaded " : "sent, but some rows are unconfirmed: ";
            case Ending.Stopped stopped -> "stopped while loading ";
            case Ending.Interrupted interrupted -> "interrupted while loading ";
        };
    }

    private static String end(Ending ending) {
        return switch (ending) {
            case Ending.Completed completed -> "";
            case Ending.Stopped stopped -> "; the dry run stopped before the end of the source";
            case Ending.Interrupted interrupted -> "; the dry run was interrupted before the end of the source";
        };
    }

    /** Further messages for standard error, one line each. */
    static List<String> messages(LoadReport report, LoadOptions options) {
        List<String> notes = new ArrayList<>();
        switch (report.ending()) {
            case Ending.Completed completed -> {}
            case Ending.Stopped stopped -> notes.add("stopped: " + stopped.why());
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
        report.repetitionWarning().ifPresent(notes::add);
        if (options.verify().share() > 0 && report.verified().isEmpty()) {
            notes.add("not verified: the load or its verification did not complete.");
        }
        return notes;
    }
}
