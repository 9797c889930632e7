// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.loads;

import io.millrace.load.ExitCode;
import java.time.Instant;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A load as the load log remembers it in memory: without its report and its rejected rows, which are {@link LoadDetails}. A
 * load without an outcome still runs, or was cut by the end of the process.
 *
 * @param verify share of the rows that is verified, if the request has changed it
 * @param outcome name of the exit code of the command line, such as {@code ok}, or {@code cut}; null while the load runs
 * @param problem why the load did not complete; masked; at most {@link #MAX_PROBLEM} characters
 */
public record LoadRecord(
        long id,
        String job,
        Instant started,
        @Nullable Long limit,
        boolean dryRun,
        @Nullable Double verify,
        @Nullable Instant ended,
        @Nullable String outcome,
        @Nullable Integer exit,
        @Nullable String problem) {

    /** The outcome of a load that the end of its process has cut. */
    public static final String CUT = "cut";

    static final int MAX_PROBLEM = 1_000;

    public LoadRecord {
        Objects.requireNonNull(job, "job");
        Objects.requireNonNull(started, "started");
        problem =
                problem == null || problem.length() <= MAX_PROBLEM ? problem : problem.substring(0, MAX_PROBLEM) + "…";
    }

    static LoadRecord started(long id, String job, LoadRequest request, Instant now) {
        Long limit = request.limit().isPresent() ? request.limit().getAsLong() : null;
        Double verify =
                request.verify().map(verification -> verification.share()).orElse(null);
        return new LoadRecord(id, job, now, limit, request.dryRun(), verify, null, null, null, null);
    }

    /** Whether the load has ended or was cut. */
    public boolean hasEnded() {
        return outcome != null;
    }

    LoadRecord ended(Instant now, ExitCode code, @Nullable String why) {
        return with(now, code.name().toLowerCase(Locale.ROOT), code.number(), why);
    }

    /** The record of a load that the end of its process has cut. The time of the end is not known. */
    LoadRecord cut() {
        return with(
                null, CUT, null, "The server ended during the load. Rows may have been written. Start the job again.");
    }

    private LoadRecord with(
            @Nullable Instant newEnded, String newOutcome, @Nullable Integer newExit, @Nullable String newProblem) {
        return new LoadRecord(id, job, started, limit, dryRun, verify, newEnded, newOutcome, newExit, newProblem);
    }
}
