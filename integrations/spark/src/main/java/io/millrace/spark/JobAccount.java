// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import io.millrace.load.LoadReport;
import io.millrace.load.LoadReportJson;
import io.millrace.load.RowCounts;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The account of a job: the reports of the admitted attempts. */
final class JobAccount {

    private final List<AttemptMessage> attempts;
    private final List<LoadReport> reports;

    JobAccount(List<AttemptMessage> attempts) {
        this.attempts = attempts;
        this.reports = attempts.stream()
                .map(message -> LoadReportJson.parse(message.report()))
                .toList();
    }

    List<AttemptMessage> attempts() {
        return attempts;
    }

    List<LoadReport> reports() {
        return reports;
    }

    /** The number of rejected rows. */
    long rejected() {
        return reports.stream().mapToLong(report -> report.rows().rejected()).sum();
    }

    /**
     * Checks that each of {@code partitions} partitions has one report, and that each row was written or rejected.
     *
     * @throws SparkLoadException if the account does not add up
     */
    void check(int partitions) {
        Set<Integer> seen = new HashSet<>();
        for (int i = 0; i < attempts.size(); i++) {
            AttemptMessage attempt = attempts.get(i);
            RowCounts rows = reports.get(i).rows();
            if (!seen.add(attempt.partition()) || rows.read() != rows.written() + rows.rejected()) {
                throw new SparkLoadException(
                        "the account does not add up: partition " + attempt.partition() + ", attempt "
                                + attempt.attempt() + " on " + attempt.host() + ": "
                                + reports.get(i).summary() + ".",
                        attempt.partition(),
                        null);
            }
        }
        if (seen.size() != partitions) {
            throw new SparkLoadException(
                    "the account does not add up: " + seen.size() + " of " + partitions + " partitions have a report.");
        }
    }
}
