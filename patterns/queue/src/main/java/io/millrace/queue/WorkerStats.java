// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

/**
 * Counters of the jobs that a worker took: {@code taken = succeeded + failed + dead + returned + noLongerHeld +
 * unacknowledged + pending}. A job counts once for each attempt.
 *
 * @param state what the worker does at the moment
 * @param taken jobs that the worker took
 * @param succeeded jobs that succeeded, and that the server has removed
 * @param failed attempts that failed. Another attempt follows
 * @param dead jobs that this worker moved to the dead jobs
 * @param returned jobs that the worker gave back: when it was closed, because the executor rejected them, or because they
 *     waited for a place for too long. These attempts do not count
 * @param noLongerHeld jobs that the worker no longer held at the end of the attempt. Either the worker was silent for
 *     longer than its lease and another worker took the jobs, or the queue was deleted, or the server lost its data. If
 *     the reply to the first acknowledgement of a job was lost, the job is not counted here
 * @param unacknowledged jobs whose end the worker could not tell the server before the worker was closed. These jobs are
 *     done again, unless the server executed the command and only the reply was lost
 * @param pending jobs that run, that wait for a place, or whose end the server does not know yet. The number is 0 after the worker has ended
 * @param repeated jobs that were not in their first attempt. This number is not part of the sum
 * @param timedOut attempts that took longer than the timeout. This number is not part of the sum
 * @param missing entries of a stream that were due for another attempt, but that a client had deleted. This number is
 *     not part of the sum
 * @param rejected jobs that the executor rejected. These jobs are also part of {@code returned}
 * @param abandoned jobs that ignored the interrupt and still run
 */
public record WorkerStats(
        WorkerState state,
        long taken,
        long succeeded,
        long failed,
        long dead,
        long returned,
        long noLongerHeld,
        long unacknowledged,
        long pending,
        long repeated,
        long timedOut,
        long missing,
        long rejected,
        int abandoned) {

    public WorkerStats {
        if (taken != succeeded + failed + dead + returned + noLongerHeld + unacknowledged + pending || pending < 0) {
            throw new IllegalArgumentException("the stats of a worker are inconsistent: taken=" + taken
                    + ", succeeded=" + succeeded + ", failed=" + failed + ", dead=" + dead + ", returned=" + returned
                    + ", noLongerHeld=" + noLongerHeld + ", unacknowledged=" + unacknowledged + ", pending="
                    + pending);
        }
    }
}
