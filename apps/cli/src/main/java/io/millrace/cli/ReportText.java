// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.load.LoadReport;
import java.util.Locale;

/** A report as people read it. */
final class ReportText {

    private ReportText() {}

    /** A few lines; the last is always the account of the rows. */
    static String lines(LoadReport report, String source) {
        StringBuilder text = new StringBuilder();
        report.server()
                .ifPresentOrElse(
                        server -> text.append("loaded ")
                                .append(source)
                                .append(" into Redis ")
                                .append(server.version())
                                .append(" (")
                                .append(server.mode())
                                .append(")\n"),
                        () -> text.append("dry run of ").append(source).append(": Redis was not contacted\n"));
        LoadReport.Times time = report.time();
        text.append(String.format(
                Locale.ROOT,
                "time: source %.2f s, mapping %.2f s, window %.2f s, socket %.2f s; bottleneck: %s%n",
                time.source(),
                time.mapping(),
                time.window(),
                time.socket(),
                report.bottleneck().name().toLowerCase(Locale.ROOT)));
        report.verified()
                .ifPresent(verified -> text.append(String.format(
                        Locale.ROOT,
                        "verified: %,d rows read back, %,d differ%n",
                        verified.checked(),
                        verified.mismatched())));
        return text.append(report.summary()).toString();
    }
}
