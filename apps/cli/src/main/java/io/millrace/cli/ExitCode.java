// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.load.LoadReport;
import io.millrace.load.LoadReport.Ending;

/** How the process ends, as scripts see it. */
enum ExitCode {
    OK(0, "every row was written, or skipped by request"),
    INTERNAL(1, "internal failure"),
    USAGE(2, "usage: wrong options, a source that cannot be opened, a column that is not there; nothing was written"),
    REJECTED(3, "finished, some rows were rejected"),
    STOPPED(4, "stopped by an error, --on-error stop or --max-errors"),
    UNREACHABLE(5, "cannot connect or authenticate, to Redis or to the source database"),
    UNCONFIRMED(6, "the fate of some rows is not known"),
    DIFFERENT(7, "verification found differences"),
    INTERRUPTED(130, "interrupted (143 by SIGTERM), with the report printed");

    private final int number;
    private final String meaning;

    ExitCode(int number, String meaning) {
        this.number = number;
        this.meaning = meaning;
    }

    int number() {
        return number;
    }

    /** For help texts. */
    String meaning() {
        return meaning;
    }

    /** The code of a load that came to a report; where several apply, the one that asks most of its reader. */
    static ExitCode of(LoadReport report) {
        if (report.ending() instanceof Ending.Interrupted) {
            return INTERRUPTED;
        }
        if (report.rows().unconfirmed() > 0) {
            return UNCONFIRMED;
        }
        if (report.ending() instanceof Ending.Stopped) {
            return STOPPED;
        }
        if (report.verified().map(verified -> verified.mismatched() > 0).orElse(false)) {
            return DIFFERENT;
        }
        return report.rows().rejected() > 0 ? REJECTED : OK;
    }
}
