// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.RedisException;
import io.millrace.load.LoadReport.Ending;
import io.millrace.load.source.SourceException;
import io.millrace.load.target.PlanException;

/**
 * The result of a load as the exit code of a process. The command line ends with these codes. An application that ends
 * after a failed load can use the same codes. {@link #number} returns the code; the numbers never change.
 */
public enum ExitCode {
    /** Each row was written, or skipped by request. */
    OK(0),
    /** An internal failure. */
    INTERNAL(1),
    /** Wrong options, a source that cannot be opened, or an unknown column. Nothing was written. */
    USAGE(2),
    /** The load finished, and some rows were rejected. */
    REJECTED(3),
    /** An error stopped the load, or too many rows were rejected. */
    STOPPED(4),
    /** Redis or the source database cannot be reached, or refuses the login. Nothing was written. */
    UNREACHABLE(5),
    /** The outcome of some rows is unknown. */
    UNCONFIRMED(6),
    /** The verification found differences. */
    MISMATCHED(7),
    /** A caller stopped the load or interrupted its thread. The number is the code of a process after {@code SIGINT}. */
    INTERRUPTED(130);

    private final int number;

    ExitCode(int number) {
        this.number = number;
    }

    /** The exit code of the process, 0 to 130. */
    public int number() {
        return number;
    }

    /**
     * Whether the load has read its source to the end, the outcome of each row is known, and the verification found no
     * difference. Some rows may be rejected.
     */
    public boolean isComplete() {
        return this == OK || this == REJECTED;
    }

    /** Returns the code of the load that {@code report} describes. If several codes apply, returns the most serious code. */
    public static ExitCode of(LoadReport report) {
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

    /** Returns the code of a load that has thrown {@code failure}: an exception of {@link Loader#run}, or any other. */
    public static ExitCode of(Throwable failure) {
        return switch (failure) {
            case PlanException plan -> USAGE;
            case SourceException source ->
                switch (source.kind()) {
                    case UNUSABLE -> USAGE;
                    case UNREACHABLE -> UNREACHABLE;
                    case BROKEN -> STOPPED;
                };
            case ConnectException refused -> UNREACHABLE;
            case RedisException redis -> STOPPED;
            default -> INTERNAL;
        };
    }
}
