// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import io.millrace.resp.Reply;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * An entry of a stream.
 *
 * @param id milliseconds, a dash and a sequence number, such as {@code 1526919030474-55}
 * @param fields fields in the order of insertion. If a field occurs more than once, its last value is used. There are
 *     no fields if the entry is pending in a consumer group but was deleted from the stream
 */
public record StreamEntry<T>(String id, Map<T, T> fields) {

    static <T> Function<Reply, List<StreamEntry<T>>> listDecoder(Function<Reply, T> decoder) {
        Function<Reply, Map<T, T>> fields = Replies.map(decoder, decoder);
        return Replies.list(reply -> {
            List<Reply> parts = Replies.parts(2, "an entry's ID and its fields", reply);
            return new StreamEntry<>(Replies.text(parts.getFirst()), fields.apply(parts.getLast()));
        });
    }
}
