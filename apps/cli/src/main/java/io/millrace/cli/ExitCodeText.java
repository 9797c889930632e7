// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.load.ExitCode;

/** The meanings of the exit codes in the help texts. */
final class ExitCodeText {

    private ExitCodeText() {}

    static String of(ExitCode code) {
        return switch (code) {
            case OK -> "every row was written, or skipped by request";
            case INTERNAL -> "internal failure";
            case USAGE ->
                "usage: wrong options, a source that cannot be opened, or an unknown column; nothing was written";
            case REJECTED -> "finished, some rows were rejected";
            case STOPPED -> "stopped by an error, --on-error stop or --max-errors";
            case UNREACHABLE -> "cannot connect or authenticate, to Redis or to the source database";
            case UNCONFIRMED -> "the outcome of some rows is unknown";
            case MISMATCHED -> "verification found differences";
            case INTERRUPTED -> "interrupted (143 by SIGTERM); the report was printed";
        };
    }
}
