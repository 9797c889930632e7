// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import io.millrace.resp.Reply;
import java.time.Duration;
import java.util.List;

/**
 * A pending entry of a consumer group.
 *
 * @param consumer the consumer that received the entry last
 * @param idle time since the last delivery, in whole milliseconds
 * @param deliveries number of deliveries
 */
public record PendingEntry(String id, String consumer, Duration idle, long deliveries) {

    static PendingEntry of(Reply reply) {
        List<Reply> parts = Replies.parts(4, "an ID, a consumer, a time and a count", reply);
        return new PendingEntry(
                Replies.text(parts.getFirst()),
                Replies.text(parts.get(1)),
                Duration.ofMillis(Replies.integer(parts.get(2))),
                Replies.integer(parts.getLast()));
    }
}
