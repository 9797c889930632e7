// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import java.time.Duration;
import java.util.List;

/**
 * The state of a {@link JobQueue}. The numbers are read one after the other, so a job that moves in the meantime may
 * count twice or not at all.
 *
 * @param queue the name of the queue
 * @param paused whether the queue is paused
 * @param waiting jobs that wait for a worker
 * @param delayed jobs that are not due, including failed jobs that wait for their next attempt
 * @param running jobs that a worker does
 * @param suspects jobs whose worker died. Each worker does at most one of them at a time
 * @param dead dead jobs
 * @param recurring definitions of recurring jobs
 * @param succeeded jobs that succeeded since the queue was created. If a worker dies, jobs that succeeded in the last
 *     second may not be counted
 * @param failed attempts that failed since the queue was created
 * @param died jobs that became dead since the queue was created
 * @param dropped dead jobs that were removed because of {@link JobQueue#MAX_DEAD}
 * @param workers the registered workers
 */
public record QueueStatus(
        String queue,
        boolean paused,
        long waiting,
        long delayed,
        long running,
        long suspects,
        long dead,
        long recurring,
        long succeeded,
        long failed,
        long died,
        long dropped,
        List<RegisteredWorker> workers) {

    public QueueStatus {
        workers = List.copyOf(workers);
    }

    /**
     * A worker that has registered.
     *
     * @param name the name of the worker
     * @param running the jobs that the worker does
     * @param lease the remaining time of the lease. Negative if the lease has ended: the worker has died, and another
     *     worker takes its jobs soon
     */
    public record RegisteredWorker(String name, long running, Duration lease) {}
}
