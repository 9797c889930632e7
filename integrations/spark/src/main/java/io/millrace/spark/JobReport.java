// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

/**
 * The account of a job that has ended. The counts are the sums of the admitted attempts, one for each partition. The
 * constructor refuses counts that do not add up.
 *
 * @param name name of the query or of the streaming epoch
 * @param target server without secrets, type and key, such as {@code redis://cache:6379 hash user:{id}}
 * @param completed whether the whole job has succeeded
 * @param rowsRead number of rows of the admitted attempts
 * @param rowsWritten number of rows that Redis has acknowledged
 * @param rowsRejected number of rows that could not be written; the folder {@code rejects} has these rows
 * @param seconds time of the job, from the preparation of its tasks
 * @param attempts number of attempts by outcome
 * @param json the whole report as one JSON object on one line
 */
public record JobReport(
        String name,
        String target,
        boolean completed,
        long rowsRead,
        long rowsWritten,
        long rowsRejected,
        double seconds,
        Attempts attempts,
        String json) {

    /**
     * The attempts of the tasks that had ended before the job ended. The rows of attempts that were not admitted may be in
     * Redis, too, but they are not in the counts of the rows.
     *
     * @param admitted attempts whose commit Spark has admitted
     * @param failed attempts that have failed, or that Spark has ended together with the job
     * @param denied attempts that Spark has ended or denied, because another attempt was admitted
     * @param lost attempts whose executor was lost
     */
    public record Attempts(long admitted, long failed, long denied, long lost) {}

    public JobReport {
        if (rowsRead != rowsWritten + rowsRejected) {
            throw new IllegalArgumentException("row counts are inconsistent: read=" + rowsRead + ", written="
                    + rowsWritten + ", rejected=" + rowsRejected);
        }
    }
}
