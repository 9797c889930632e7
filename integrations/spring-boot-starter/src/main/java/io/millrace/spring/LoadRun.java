// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.load.ExitCode;
import io.millrace.load.LoadReport;
import java.util.Objects;
import java.util.Optional;

/**
 * One run of a load job that has ended.
 *
 * @param job name of the job
 * @param kind whether the run had the options of the job
 * @param report report of the load. If the load could not begin, its ending is {@link LoadReport.Ending.Failed}
 * @param code the exit code that the command line would end with
 * @param shared whether another instance of the fleet has loaded, and {@code report} is the report of that instance
 * @param failure the exception that prevented the load
 */
public record LoadRun(
        String job, RunKind kind, LoadReport report, ExitCode code, boolean shared, Optional<Throwable> failure) {

    public LoadRun {
        Objects.requireNonNull(job, "job");
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(report, "report");
        Objects.requireNonNull(code, "code");
        Objects.requireNonNull(failure, "failure");
    }

    /** A load that has ended with a report of this instance. */
    static LoadRun of(String job, RunKind kind, LoadReport report) {
        return new LoadRun(job, kind, report, ExitCode.of(report), false, Optional.empty());
    }

    /** A load that another instance of the fleet has done. A fleet shares only loads with the options of the job. */
    static LoadRun ofFleet(String job, LoadReport report) {
        return new LoadRun(job, RunKind.CONFIGURED, report, ExitCode.of(report), true, Optional.empty());
    }

    /** A load that could not begin. */
    static LoadRun failed(String job, RunKind kind, LoadReport report, Throwable failure) {
        return new LoadRun(job, kind, report, ExitCode.of(failure), false, Optional.of(failure));
    }

    /**
     * Whether all rows that the options of the run ask for have been read, and each row is written, skipped by request, or
     * rejected. With {@link RunKind#CONFIGURED}, the whole job is loaded then. False if the load was stopped, rows are unconfirmed, the verification found differences, or more rows were rejected than allowed.
     */
    public boolean isComplete() {
        return code.isComplete();
    }
}
