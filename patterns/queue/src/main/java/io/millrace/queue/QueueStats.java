// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import java.util.List;

/**
 * Counters of the tasks that a source received from its queue: {@code delivered + rejected = acknowledged + returned +
 * deadLettered + noLongerPending + unacknowledged + pending}.
 *
 * @param delivered tasks passed to the flow. The flow counts these tasks as produced, except tasks that arrive after
 *     the flow has stopped waiting for its source. Such late tasks are returned to the queue
 * @param rejected tasks not passed to the flow, because they could not be decoded or reached the maximum number of
 *     deliveries
 * @param redelivered the delivered tasks that had been delivered before. This number is not part of the sum
 * @param acknowledged tasks that succeeded. The server removed these tasks from the pending tasks
 * @param returned tasks that failed, timed out or were cancelled, and are delivered again
 * @param deadLettered tasks that were dead-lettered
 * @param noLongerPending tasks that were no longer pending for this consumer when the consumer settled the tasks.
 *     Either the consumer was silent for longer than the lease and another consumer took the tasks, or a client deleted
 *     the entry, or the server lost its data. If the reply to the first acknowledgement of a task was lost, the task is
 *     not counted here
 * @param unacknowledged tasks that could not be settled before the source was closed. These tasks are delivered again,
 *     unless the server executed the command and only the reply was lost
 * @param pending tasks that run, wait to run, or wait to be settled. The number is 0 after the flow has ended
 * @param missing entries that were due for redelivery, but that a client had deleted from the stream. This number is
 *     not part of the sum
 * @param redeliveredIds the ids of the first 10,000 redelivered tasks
 * @param deadLetters the first 1,000 dead-lettered tasks
 * @param unacknowledgedIds the ids of the first 10,000 unacknowledged tasks
 */
public record QueueStats(
        long delivered,
        long rejected,
        long redelivered,
        long acknowledged,
        long returned,
        long deadLettered,
        long noLongerPending,
        long unacknowledged,
        long pending,
        long missing,
        List<String> redeliveredIds,
        List<DeadLetter> deadLetters,
        List<String> unacknowledgedIds) {

    public QueueStats {
        redeliveredIds = List.copyOf(redeliveredIds);
        deadLetters = List.copyOf(deadLetters);
        unacknowledgedIds = List.copyOf(unacknowledgedIds);
        long ended = acknowledged + returned + deadLettered + noLongerPending + unacknowledged;
        if (delivered + rejected != ended + pending || pending < 0 || redelivered > delivered) {
            throw new IllegalArgumentException("the stats of a queue are inconsistent: delivered=" + delivered
                    + ", rejected=" + rejected + ", redelivered=" + redelivered + ", acknowledged=" + acknowledged
                    + ", returned=" + returned + ", deadLettered=" + deadLettered + ", noLongerPending="
                    + noLongerPending
                    + ", unacknowledged=" + unacknowledged + ", pending=" + pending);
        }
    }

    @Override
    public String toString() {
        return "delivered: " + delivered + " (redelivered: " + redelivered + "), rejected: " + rejected
                + ", acknowledged: "
                + acknowledged + ", returned: " + returned + ", dead-lettered: " + deadLettered
                + ", no longer pending: "
                + noLongerPending + ", unacknowledged: " + unacknowledged + ", pending: " + pending + ", missing: "
                + missing;
    }
}
