// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

/**
 * Numbers of tasks by outcome: {@code produced = succeeded + failed + timedOut + cancelled + pending}.
 *
 * @param produced tasks that a source has returned
 * @param succeeded tasks whose last attempt succeeded
 * @param failed tasks whose last attempt failed
 * @param timedOut tasks whose deadline passed
 * @param cancelled tasks that were not completed because the flow stopped
 * @param pending tasks without an outcome yet; 0 at the end of a flow
 * @param retries attempts after the first attempt of each task; not part of the sum
 */
public record TaskCounts(
        long produced, long succeeded, long failed, long timedOut, long cancelled, long pending, long retries) {

    public TaskCounts {
        long sum = succeeded + failed + timedOut + cancelled + pending;
        if (produced != sum
                || Math.min(Math.min(succeeded, failed), Math.min(timedOut, cancelled)) < 0
                || pending < 0) {
            throw new IllegalArgumentException("task counts are inconsistent: produced=" + produced + ", succeeded="
                    + succeeded + ", failed=" + failed + ", timedOut=" + timedOut + ", cancelled=" + cancelled
                    + ", pending=" + pending);
        }
    }

    @Override
    public String toString() {
        return "produced: " + produced + ", succeeded: " + succeeded + ", failed: " + failed + ", timed out: "
                + timedOut + ", cancelled: " + cancelled + ", pending: " + pending + ", retries: " + retries;
    }
}
