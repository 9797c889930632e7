// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.load.LoadOptions;
import io.millrace.load.LoadReport;

/**
 * What a run of a load job is. Only a {@link #CONFIGURED} run tells something about the whole job: only such a run becomes
 * {@link LoadJobs#last}, sets the meter {@code millrace.load.last.success}, and is shared with a fleet.
 */
public enum RunKind {
    /**
     * The job with its own options. If these options ask for a dry run, this run is a dry run, too: {@link
     * LoadReport.Job#kind()} tells.
     */
    CONFIGURED,

    /** The job with changed options, such as a limit. Rows are written, but perhaps not all rows of the job. */
    CHANGED,

    /** A dry run that changed options ask for. No row is written. */
    DRY_RUN;

    /**
     * The kind of a run.
     *
     * @param own the options of the job
     * @param used the options of the run
     */
    static RunKind of(LoadOptions own, LoadOptions used) {
        if (used.equals(own)) {
            return CONFIGURED;
        }
        return used.dryRun() ? DRY_RUN : CHANGED;
    }

    /** The run as the subject of a sentence. */
    String subject(String job) {
        return switch (this) {
            case CONFIGURED -> "the load job " + job;
            case CHANGED -> "the load job " + job + " with changed options";
            case DRY_RUN -> "the dry run of the load job " + job;
        };
    }
}
