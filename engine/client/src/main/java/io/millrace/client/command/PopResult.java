// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import io.millrace.resp.Reply;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * An element that was removed from the first non-empty key of several keys.
 *
 * @param key the key from which the element was removed
 * @param element the removed element
 */
public record PopResult<K, T>(K key, T element) {

    /** Decodes a key and its element. After a timeout the server replies null, which becomes an empty result. */
    static <K, T> Function<Reply, Optional<PopResult<K, T>>> decoder(
            Function<Reply, K> key, Function<Reply, T> element) {
        return Replies.optional(reply -> {
            List<Reply> parts = Replies.parts(2, "a key and its element", reply);
            return new PopResult<>(key.apply(parts.getFirst()), element.apply(parts.getLast()));
        });
    }

    /**
     * Decodes a key, a member and its score. After a timeout the server replies null, which becomes an empty result.
     */
    static <T> Function<Reply, Optional<PopResult<T, ScoredMember<T>>>> scoredDecoder(Function<Reply, T> decoder) {
        return Replies.optional(reply -> {
            List<Reply> parts = Replies.parts(3, "a key, a member and its score", reply);
            ScoredMember<T> member = new ScoredMember<>(decoder.apply(parts.get(1)), Replies.real(parts.getLast()));
            return new PopResult<>(decoder.apply(parts.getFirst()), member);
        });
    }
}
