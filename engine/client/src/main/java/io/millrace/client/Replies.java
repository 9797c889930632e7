// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.resp.Reply;
import java.util.List;
import java.util.Optional;

/** Turns replies into Java values, for both protocols: what RESP3 calls a map is an array in RESP2. */
public final class Replies {

    private Replies() {}

    /** The reply as it came. */
    public static Reply raw(Reply reply) {
        return reply;
    }

    /** The text of a status, a bulk string or a verbatim string. */
    public static String text(Reply reply) {
        return switch (reply) {
            case Reply.SimpleString status -> status.text();
            case Reply.BulkString bulk -> bulk.text();
            case Reply.VerbatimString verbatim -> verbatim.text();
            default -> throw new UnexpectedReplyException("text", reply);
        };
    }

    /** The same; empty for null. */
    public static Optional<String> optionalText(Reply reply) {
        return reply instanceof Reply.Null ? Optional.empty() : Optional.of(text(reply));
    }

    /** The bytes of a bulk string; empty for null. */
    public static Optional<byte[]> optionalBytes(Reply reply) {
        return switch (reply) {
            case Reply.BulkString bulk -> Optional.of(bulk.bytes());
            case Reply.Null ignored -> Optional.empty();
            default -> throw new UnexpectedReplyException("a bulk string or null", reply);
        };
    }

    /** A number. */
    public static long integer(Reply reply) {
        if (reply instanceof Reply.IntegerReply integer) {
            return integer.value();
        }
        throw new UnexpectedReplyException("an integer", reply);
    }

    /** The elements of an array, a set, a map or a push, in order. */
    public static List<Reply> items(Reply reply) {
        return switch (reply) {
            case Reply.ArrayReply array -> array.items();
            case Reply.SetReply set -> set.items();
            case Reply.MapReply map -> map.keysAndValues();
            case Reply.Push push -> push.items();
            default -> throw new UnexpectedReplyException("an aggregate", reply);
        };
    }
}
