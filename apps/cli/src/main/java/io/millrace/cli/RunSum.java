// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.client.Setting.Unit;
import io.millrace.load.ExitCode;
import io.millrace.load.LoadReport;
import io.millrace.load.RowCounts;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/**
 * The sum of a run of several loads.
 *
 * @param notRun names of the loads that did not begin, because an earlier job had failed
 * @param seconds time of the whole run
 */
record RunSum(List<JobsRun.LoadResult> results, List<String> notRun, double seconds) {

    /** The exit codes from the most serious to the least. */
    private static final List<ExitCode> BY_SERIOUSNESS = List.of(
            ExitCode.INTERRUPTED,
            ExitCode.INTERNAL,
            ExitCode.UNCONFIRMED,
            ExitCode.STOPPED,
            ExitCode.UNREACHABLE,
            ExitCode.USAGE,
            ExitCode.MISMATCHED,
            ExitCode.REJECTED,
            ExitCode.OK);

    /** The most serious exit code of the loads. */
    ExitCode code() {
        return BY_SERIOUSNESS.stream()
                .filter(code -> results.stream().anyMatch(result -> result.code() == code))
                .findFirst()
                .orElse(ExitCode.OK);
    }

    private List<JobsRun.LoadResult> failed() {
        return results.stream().filter(result -> result.code() != ExitCode.OK).toList();
    }

    /** The sum of all row counts. A load that failed before its first row has none. */
    RowCounts rows() {
        return new RowCounts(
                sum(RowCounts::read),
                sum(RowCounts::written),
                sum(RowCounts::rejected),
                sum(RowCounts::skipped),
                sum(RowCounts::unconfirmed));
    }

    private long sum(ToLongFunction<RowCounts> count) {
        return results.stream()
                .flatMap(result -> result.report().stream())
                .map(LoadReport::rows)
                .mapToLong(count)
                .sum();
    }

    /** Two lines for people. The last line has the form of the last line of a load. */
    String lines() {
        RowCounts rows = rows();
        String failures = failed().stream()
                .map(result -> result.name() + " (exit code " + result.code().number() + ")")
                .collect(Collectors.joining(", "));
        return "loads: " + results.size() + ", failed: " + failed().size()
                + (failures.isEmpty() ? "" : ": " + failures) + ", not run: " + notRun.size()
                + (notRun.isEmpty() ? "" : ": " + String.join(", ", notRun)) + "\n"
                + "rows: " + rows.read() + ", written: " + rows.written() + ", rejected: " + rows.rejected()
                + ", skipped: " + rows.skipped() + ", unconfirmed: " + rows.unconfirmed() + ", "
                + BigDecimal.valueOf(seconds).setScale(2, RoundingMode.HALF_UP).toPlainString() + " s, "
                + Unit.COUNT.text(seconds > 0 ? Math.round(rows.written() / seconds) : 0) + " rows/s";
    }

    /** The same as one JSON object on one line. It begins as a report, so that a later report may replace the file. */
    String json() {
        RowCounts rows = rows();
        JsonObject counts = new JsonObject()
                .number("read", rows.read())
                .number("written", rows.written())
                .number("rejected", rows.rejected())
                .number("skipped", rows.skipped())
                .number("unconfirmed", rows.unconfirmed());
        return new JsonObject()
                .json("rows", counts.toString())
                .number("loads", results.size())
                .number("failed", failed().size())
                .number("notRun", notRun.size())
                .number("exit", LoadRun.number(code()))
                .json(
                        "seconds",
                        BigDecimal.valueOf(seconds)
                                .setScale(6, RoundingMode.HALF_UP)
                                .toPlainString())
                .toString();
    }
}
