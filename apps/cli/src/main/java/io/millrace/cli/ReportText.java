// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.client.FusionCounts;
import io.millrace.load.LoadOptions;
import io.millrace.load.LoadReport;
import io.millrace.load.LoadReport.Ending;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A report as people read it. */
final class ReportText {

    private ReportText() {}

    /** A few lines; the last is always the account of the rows. */
    static String lines(LoadReport report, String source) {
        StringBuilder text = new StringBuilder();
        text.append(report.server()
                .map(server ->
                        loading(report) + source + " into Redis " + server.version() + " (" + server.mode() + ")\n")
                .orElseGet(() -> withoutServer(report, source)));
        LoadReport.Times time = report.time();
        text.append(String.format(
                Locale.ROOT,
                "time: source %.2f s, mapping %.2f s, window %.2f s, socket %.2f s; bottleneck: %s%n",
                time.source(),
                time.mapping(),
                time.window(),
                time.socket(),
                report.bottleneck().name().toLowerCase(Locale.ROOT)));
        if (report.fusion().runs() > 0) {
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
        return String.format(Locale.ROOT, "fused: %,d commands into %,d%n", fusion.commands(), fusion.runs());
    }

    private static String verification(LoadReport.Verified verified) {
        return String.format(
                Locale.ROOT, "verified: %,d rows read back, %,d differ%n", verified.checked(), verified.mismatched());
    }

    /** Only a load whose every row has a known fate is said to have loaded its source. */
    private static String loading(LoadReport report) {
        return switch (report.ending()) {
            case Ending.Completed completed ->
                report.rows().unconfirmed() == 0 ? "loaded " : "sent all, but without confirmation of all, of ";
            case Ending.Stopped stopped -> "stopped while loading ";
            case Ending.Interrupted interrupted -> "interrupted while loading ";
        };
    }

    private static String end(Ending ending) {
        return switch (ending) {
            case Ending.Completed completed -> "";
            case Ending.Stopped stopped -> "; stopped before its end";
            case Ending.Interrupted interrupted -> "; interrupted before its end";
        };
    }

    /** What else a person must know about this end, in a line each; for standard error. */
    static List<String> notes(LoadReport report, LoadOptions options) {
        List<String> notes = new ArrayList<>();
        switch (report.ending()) {
            case Ending.Completed completed -> {}
            case Ending.Stopped stopped -> notes.add("stopped: " + stopped.why());
            case Ending.Interrupted interrupted ->
                notes.add(
                        report.rows().unconfirmed() == 0
                                ? "interrupted; what was in flight has been waited for."
                                : "interrupted; what was in flight has not all been answered.");
        }
        long timedOut = report.commands().timedOut();
        if (timedOut > 0) {
            notes.add(String.format(
                    Locale.ROOT,
                    "%,d %s had no reply within %s: those rows are unconfirmed.",
                    timedOut,
                    timedOut == 1 ? "command" : "commands",
                    DurationText.text(options.timeout())));
        }
        if (options.verify().share() > 0 && report.verified().isEmpty()) {
            notes.add("not verified: the load, or the verification itself, did not come to its end.");
        }
        return notes;
    }
}
