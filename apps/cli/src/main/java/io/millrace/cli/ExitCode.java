// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.load.LoadReport;
import io.millrace.load.LoadReport.Ending;

/** Exit codes of the process. */
enum ExitCode {
    OK(0, "every row was written, or skipped by request"),
    INTERNAL(1, "internal failure"),
    USAGE(2, "usage: wrong options, a source that cannot be opened, or an unknown column; nothing was written"),
    REJECTED(3, "finished, some rows were rejected"),
    STOPPED(4, "stopped by an error, --on-error stop or --max-errors"),
    UNREACHABLE(5, "cannot connect or authenticate, to Redis or to the source database"),
    UNCONFIRMED(6, "the outcome of some rows is unknown"),
    MISMATCHED(7, "verification found differences"),
    INTERRUPTED(130, "interrupted (143 by SIGTERM); the report was printed");

    private final int number;
    private final String meaning;

    ExitCode(int number, String meaning) {
        this.number = number;
        this.meaning = meaning;
    }

    int number() {
        return number;
    }

    /** The meaning of the code, for help texts. */
    String meaning() {
        return meaning;
    }

    /**
     * Returns the exit code of the load that {@code report} describes. If several codes apply, the method returns the
     * most serious code.
     */
    static ExitCode of(LoadReport report) {
        if (report.ending() instanceof Ending.Interrupted) {
            return INTERRUPTED;
        }
        if (report.ending() instanceof Ending.Failed) {
            return INTERNAL;
        }
        if (report.rows().unconfirmed() > 0) {
            return UNCONFIRMED;
        }
        if (report.ending() instanceof Ending.Stopped || report.ending() instanceof Ending.Unverified) {
            return STOPPED;
        }
        if (report.verified().map(verified -> verified.mismatched() > 0).orElse(false)) {
            return MISMATCHED;
        }
        return report.rows().rejected() > 0 ? REJECTED : OK;
    }
}
