// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.load.target.Repetition;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The sentences about rows that a user must look after. */
final class ReportSentences {

    private ReportSentences() {}

    /** Why rows are unconfirmed; empty if no row is. */
    static Optional<String> unconfirmedReason(LoadReport report) {
        if (report.rows().unconfirmed() == 0) {
            return Optional.empty();
        }
        return Optional.of(String.format(
                Locale.ROOT,
                "%,d rows may or may not have been written: %s%,d commands had no reply in time, %,d commands were lost"
                        + " with their connection%s. %s",
                report.rows().unconfirmed(),
                takenBack(report.details().takenBackRows()),
                report.commands().timedOut(),
                report.commands().lost(),
                firstRange(report.details().unconfirmedRows()),
                report.details().repetition().advice()));
    }

    private static String takenBack(long rows) {
        return rows == 0
                ? ""
                : String.format(
                        Locale.ROOT,
                        "a failover or a restart of the server took back up to %,d acknowledged rows, ",
                        rows);
    }

    private static String firstRange(List<RowRange> ranges) {
        if (ranges.isEmpty()) {
            return "";
        }
        String more = ranges.size() == 1 ? "" : " and " + (ranges.size() - 1) + " more ranges";
        return ": " + ranges.getFirst().text() + more;
    }

    /** That a repeated load would add rows a second time; empty if nothing is left to repeat. */
    static Optional<String> repetitionWarning(LoadReport report) {
        RowCounts rows = report.rows();
        boolean isComplete = report.ending() instanceof LoadReport.Ending.Completed && rows.written() == rows.read();
        if (report.details().repetition() != Repetition.ADDS_ROW_AGAIN
                || isComplete
                || report.details().checkpoint().isPresent()
                || rows.written() + rows.unconfirmed() == 0) {
            return Optional.empty();
        }
        return Optional.of(String.format(
                Locale.ROOT,
                "a repeated load of the same source would add %,d rows a second time%s."
                        + " Load only the other rows, or delete the keys first.",
                rows.written(),
                rows.unconfirmed() == 0
                        ? ""
                        : String.format(Locale.ROOT, ", and perhaps %,d more", rows.unconfirmed())));
    }
}
