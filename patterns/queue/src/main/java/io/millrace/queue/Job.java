// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import java.time.Instant;

/**
 * One attempt to do a job.
 *
 * @param id the id of the job, the same for each attempt: printable ASCII without blanks. A handler can use the id to
 *     recognize a job that an earlier attempt has done partly
 * @param payload the decoded payload
 * @param attempt the number of this attempt, from 1. Attempts that failed, and attempts whose worker died, count. An
 *     attempt that a closing worker gave back does not count, unless this happens three times in a row: then it counts as
 *     a death. After a redrive, the number begins at 1 again
 * @param pushedAt the time at which the job was pushed, by the clock of the program that pushed the job. For an element
 *     that another program pushed without the header of {@link JobQueue}, the time at which a worker took the element
 * @param <T> the type of the payload
 */
public record Job<T>(String id, T payload, int attempt, Instant pushedAt) {

    /** Returns whether an earlier attempt failed, or its worker died. */
    public boolean isRepeated() {
        return attempt > 1;
    }
}
