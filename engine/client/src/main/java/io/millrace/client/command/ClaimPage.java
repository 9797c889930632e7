// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import io.millrace.client.exception.UnexpectedReplyException;
import io.millrace.resp.Reply;
import java.util.List;
import java.util.function.Function;

/**
 * One page of pending entries that a consumer has claimed.
 *
 * @param next start ID for the next page; {@link #LAST} if this is the last page
 * @param claimed entries that now belong to the consumer
 * @param deleted IDs that are no longer pending because their entries were deleted from the stream; always empty before
 *     Redis 7.0
 */
public record ClaimPage<T>(String next, List<StreamEntry<T>> claimed, List<String> deleted) {

    /** Start ID of the first page, and {@code next} of the last page. */
    public static final String LAST = "0-0";

    /** Whether this is the last page. */
    public boolean last() {
        return next.equals(LAST);
    }

    static <T> Function<Reply, ClaimPage<T>> decoder(Function<Reply, T> decoder) {
        Function<Reply, List<StreamEntry<T>>> entries = StreamEntry.listDecoder(decoder);
        return reply -> {
            List<Reply> parts = Replies.items(reply);
            if (parts.size() < 2) {
                throw new UnexpectedReplyException("an ID, entries and IDs", reply);
            }
            List<String> deleted =
                    parts.size() == 2 ? List.of() : Replies.list(Decoders.TEXT).apply(parts.get(2));
            return new ClaimPage<>(Replies.text(parts.getFirst()), entries.apply(parts.get(1)), deleted);
        };
    }
}
