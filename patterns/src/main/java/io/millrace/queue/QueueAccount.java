// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import java.util.List;

/**
 * What became of the tasks that a source has received from its queue: {@code delivered + rejected = acknowledged + returned +
 * deadLettered + takenAway + unacknowledged + inHand}.
 *
 * @param delivered tasks handed on to the flow; what the flow calls produced, but for those that came when it had given up waiting for
 *     its source: they are returned
 * @param rejected tasks not handed on, because they could not be decoded or had been delivered too often
 * @param redelivered how many of the delivered had been delivered before; no part of the sum
 * @param acknowledged tasks done, of which the queue has taken note
 * @param returned tasks to be delivered again, to whomever: they failed, timed out or were cancelled
 * @param deadLettered tasks put aside
 * @param takenAway tasks that were no longer this consumer's when they had been done or had failed: it was silent for longer than the
 *     lease, and another had got them; or somebody deleted the entry meanwhile, or the server with all its data. Where the queue may
 *     have been told before, and only the answer was lost, the task is not counted here
 * @param unacknowledged tasks whose end the queue could not be told, before the source was closed or, at most once, at the only try.
 *     At least once, they will be delivered again, unless the server knew already; at most once, those may be lost that were never done
 * @param inHand tasks that are being done or wait to be, or of whose end the queue is about to be told; 0 at the end
 * @param vanished entries that were to be delivered again, and that somebody had deleted from the stream; no part of the sum
 * @param redeliveredIds of the first 10,000 of the redelivered
 * @param deadLetters the first 1,000 of those put aside
 * @param unacknowledgedIds of the first 10,000 of the unacknowledged
 */
public record QueueAccount(
        long delivered,
        long rejected,
        long redelivered,
        long acknowledged,
        long returned,
        long deadLettered,
        long takenAway,
        long unacknowledged,
        long inHand,
        long vanished,
        List<String> redeliveredIds,
        List<DeadLetter> deadLetters,
        List<String> unacknowledgedIds) {

    public QueueAccount {
        redeliveredIds = List.copyOf(redeliveredIds);
        deadLetters = List.copyOf(deadLetters);
        unacknowledgedIds = List.copyOf(unacknowledgedIds);
        long ended = acknowledged + returned + deadLettered + takenAway + unacknowledged;
        if (delivered + rejected != ended + inHand || inHand < 0 || redelivered > delivered) {
            throw new IllegalArgumentException("the account of a queue does not add up: delivered=" + delivered
                    + ", rejected=" + rejected + ", redelivered=" + redelivered + ", acknowledged=" + acknowledged
                    + ", returned=" + returned + ", deadLettered=" + deadLettered + ", takenAway=" + takenAway
                    + ", unacknowledged=" + unacknowledged + ", inHand=" + inHand);
        }
    }

    @Override
    public String toString() {
        return "delivered: " + delivered + " (again: " + redelivered + "), rejected: " + rejected + ", acknowledged: "
                + acknowledged + ", returned: " + returned + ", dead-lettered: " + deadLettered + ", taken away: "
                + takenAway + ", unacknowledged: " + unacknowledged + ", in hand: " + inHand + ", vanished: "
                + vanished;
    }
}
