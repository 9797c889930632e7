// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import io.millrace.client.exception.UnexpectedReplyException;
import io.millrace.resp.Reply;
import java.util.List;
import java.util.Map;

/**
 * The pending entries of a consumer group.
 *
 * @param count number of pending entries
 * @param lowestId lowest ID of a pending entry; empty text if there is none
 * @param highestId highest ID of a pending entry; empty text if there is none
 * @param consumers number of pending entries of each consumer that has any
 */
public record PendingSummary(long count, String lowestId, String highestId, Map<String, Long> consumers) {

    static PendingSummary of(Reply reply) {
        List<Reply> parts = Replies.parts(4, "a count, two IDs and the consumers", reply);
        return new PendingSummary(
                Replies.integer(parts.getFirst()),
                Replies.optionalText(parts.get(1)).orElse(""),
                Replies.optionalText(parts.get(2)).orElse(""),
                Replies.map(Decoders.TEXT, PendingSummary::count).apply(parts.getLast()));
    }

    /** Decodes a count. The server sends the count of a consumer as text. */
    private static long count(Reply reply) {
        try {
            return Long.parseLong(Replies.text(reply));
        } catch (NumberFormatException e) {
            throw new UnexpectedReplyException("a number of entries", reply);
        }
    }
}
