// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.resp.Reply;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * What was taken from the first of several keys that had anything.
 *
 * @param key which it was
 * @param element what was taken
 */
public record Popped<K, T>(K key, T element) {

    /** A key and its element; empty for null, which says that time was up. */
    static <T> Function<Reply, Optional<Popped<T, T>>> decoder(Function<Reply, T> decoder) {
        return Replies.optional(reply -> {
            List<Reply> parts = Replies.parts(2, "a key and its element", reply);
            return new Popped<>(decoder.apply(parts.getFirst()), decoder.apply(parts.getLast()));
        });
    }

    /** A key, a member and its score; empty for null, which says that time was up. */
    static <T> Function<Reply, Optional<Popped<T, ScoredMember<T>>>> scoredDecoder(Function<Reply, T> decoder) {
        return Replies.optional(reply -> {
            List<Reply> parts = Replies.parts(3, "a key, a member and its score", reply);
            ScoredMember<T> member = new ScoredMember<>(decoder.apply(parts.get(1)), Replies.real(parts.getLast()));
            return new Popped<>(decoder.apply(parts.getFirst()), member);
        });
    }
}
