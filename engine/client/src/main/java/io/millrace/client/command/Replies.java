// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import io.millrace.client.exception.UnexpectedReplyException;
import io.millrace.resp.Reply;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * Decoders that convert replies to Java values. The decoders accept RESP2 and RESP3. In RESP2, a map or a set is an
 * array, and a double is a bulk string.
 *
 * <p>A method with a reply as its parameter is a decoder. A method with decoders as its parameters returns a new
 * decoder that uses these decoders: {@code command.as(Replies.map(Replies::text, Replies::bytes))}.
 *
 * <p>Text is UTF-8. Collections are unmodifiable. They keep the server's order, except sets with {@code byte[]}
 * elements and maps with {@code byte[]} keys. Such sets and maps compare arrays by content and are sorted by unsigned
 * bytes.
 *
 * <p>Each decoder throws {@link UnexpectedReplyException} if it does not accept the kind of the reply.
 */
public final class Replies {

    private Replies() {}

    /** Returns the reply itself. */
    public static Reply raw(Reply reply) {
        return reply;
    }

    /** Decodes the text of a simple string, a bulk string or a verbatim string. */
    public static String text(Reply reply) {
        // No switch over types: the JVM would need about 1 ms to link the switch at the first call.
        if (reply instanceof Reply.BulkString bulk) {
            return bulk.text();
        }
        if (reply instanceof Reply.SimpleString status) {
            return status.text();
        }
        if (reply instanceof Reply.VerbatimString verbatim) {
            return verbatim.text();
        }
        throw new UnexpectedReplyException("text", reply);
    }

    /** Decodes text as {@link #text} does; null becomes an empty result. */
    public static Optional<String> optionalText(Reply reply) {
        return reply instanceof Reply.Null ? Optional.empty() : Optional.of(text(reply));
    }

    /** Decodes the bytes of a bulk string. */
    public static byte[] bytes(Reply reply) {
        if (reply instanceof Reply.BulkString bulk) {
            return bulk.bytes();
        }
        throw new UnexpectedReplyException("a bulk string", reply);
    }

    /** Decodes bytes as {@link #bytes} does; null becomes an empty result. */
    public static Optional<byte[]> optionalBytes(Reply reply) {
        return switch (reply) {
            case Reply.BulkString bulk -> Optional.of(bulk.bytes());
            case Reply.Null ignored -> Optional.empty();
            default -> throw new UnexpectedReplyException("a bulk string or null", reply);
        };
    }

    /** Decodes an integer. */
    public static long integer(Reply reply) {
        if (reply instanceof Reply.IntegerReply integer) {
            return integer.value();
        }
        throw new UnexpectedReplyException("an integer", reply);
    }

    /** Decodes 1 as true and 0 as false. Rejects other integers. */
    public static boolean flag(Reply reply) {
        if (reply instanceof Reply.IntegerReply(long value) && (value == 0 || value == 1)) {
            return value == 1;
        }
        if (reply instanceof Reply.BooleanReply(boolean value)) {
            return value;
        }
        throw new UnexpectedReplyException("0 or 1", reply);
    }

    /** Decodes a double, an integer, or text in decimal notation. Accepts infinity. */
    public static double real(Reply reply) {
        return switch (reply) {
            case Reply.DoubleReply(double value) -> value;
            case Reply.IntegerReply(long value) -> value;
            case Reply.BulkString bulk -> real(bulk.text(), reply);
            case Reply.SimpleString(String text) -> real(text, reply);
            default -> throw new UnexpectedReplyException("a number", reply);
        };
    }

    /** Returns the elements of an array, a set, a map or a push, in order. */
    public static List<Reply> items(Reply reply) {
        return switch (reply) {
            case Reply.ArrayReply array -> array.items();
            case Reply.SetReply set -> set.items();
            case Reply.MapReply map -> map.keysAndValues();
            case Reply.Push push -> push.items();
            default -> throw new UnexpectedReplyException("an aggregate", reply);
        };
    }

    /**
     * Returns a decoder that also accepts null. A null reply becomes an empty result. The decoder {@code value} decodes
     * all other replies.
     */
    public static <T> Function<Reply, Optional<T>> optional(Function<Reply, T> value) {
        return reply -> reply instanceof Reply.Null ? Optional.empty() : Optional.of(value.apply(reply));
    }

    /** Decodes the elements, in order. Null becomes an empty list: some commands return null for a missing key. */
    public static <T> Function<Reply, List<T>> list(Function<Reply, T> element) {
        return reply -> {
            List<Reply> items = itemsOrNone(reply);
            List<T> list = new ArrayList<>(items.size());
            for (Reply item : items) {
                list.add(element.apply(item));
            }
            return Collections.unmodifiableList(list);
        };
    }

    /** Decodes the elements as {@link #list} does, and removes duplicates. */
    public static <T> Function<Reply, Set<T>> set(Function<Reply, T> element) {
        Function<Reply, List<T>> elements = list(element);
        return reply -> {
            List<T> list = elements.apply(reply);
            Set<T> set = areBytes(list) ? new TreeSet<>(Replies::compareBytes) : new LinkedHashSet<>();
            set.addAll(list);
            return Collections.unmodifiableSet(set);
        };
    }

    /**
     * Decodes keys and values from a map, from an array of alternating keys and values, or from an array of pairs. If a
     * key occurs more than once, its last value is used. Null becomes an empty map.
     */
    public static <K, V> Function<Reply, Map<K, V>> map(Function<Reply, K> key, Function<Reply, V> value) {
        return reply -> {
            List<Reply> alternating = alternating(reply);
            List<K> keys = new ArrayList<>(alternating.size() / 2);
            for (int i = 0; i < alternating.size(); i += 2) {
                keys.add(key.apply(alternating.get(i)));
            }
            Map<K, V> map = areBytes(keys) ? new TreeMap<>(Replies::compareBytes) : new LinkedHashMap<>();
            for (int i = 0; i < keys.size(); i++) {
                map.put(keys.get(i), value.apply(alternating.get(2 * i + 1)));
            }
            return Collections.unmodifiableMap(map);
        };
    }

    /**
     * Decodes members and scores from an array of alternating members and scores, or from an array of pairs. Null
     * becomes an empty list.
     */
    public static <T> Function<Reply, List<ScoredMember<T>>> scored(Function<Reply, T> member) {
        return reply -> {
            List<Reply> alternating = alternating(reply);
            List<ScoredMember<T>> list = new ArrayList<>(alternating.size() / 2);
            for (int i = 0; i < alternating.size(); i += 2) {
                list.add(new ScoredMember<>(member.apply(alternating.get(i)), real(alternating.get(i + 1))));
            }
            return Collections.unmodifiableList(list);
        };
    }

    /**
     * Decodes a page of a scan. The page consists of the cursor of the next page and the content. The decoder
     * {@code found} decodes the content.
     */
    public static <T> Function<Reply, ScanPage<T>> page(Function<Reply, T> found) {
        return reply -> {
            List<Reply> parts = parts(2, "a cursor and the content of a page", reply);
            return new ScanPage<>(text(parts.getFirst()), found.apply(parts.getLast()));
        };
    }

    /**
     * Returns the elements of an aggregate reply, such as an array. Throws an exception if there are not exactly
     * {@code count} elements.
     */
    static List<Reply> parts(int count, String expected, Reply reply) {
        List<Reply> items = items(reply);
        if (items.size() != count) {
            throw new UnexpectedReplyException(expected, reply);
        }
        return items;
    }

    private static List<Reply> itemsOrNone(Reply reply) {
        return reply instanceof Reply.Null ? List.of() : items(reply);
    }

    /**
     * Returns the reply as a list of alternating keys and values. The reply may be such a list already, or an array of
     * pairs, where each pair is itself an array. Keys are never arrays. So if the first element of the reply is an
     * array, the reply is an array of pairs.
     */
    private static List<Reply> alternating(Reply reply) {
        List<Reply> items = itemsOrNone(reply);
        if (!items.isEmpty() && items.getFirst() instanceof Reply.ArrayReply) {
            List<Reply> flat = new ArrayList<>(2 * items.size());
            for (Reply pair : items) {
                flat.addAll(parts(2, "pairs", pair));
            }
            return flat;
        }
        if (items.size() % 2 != 0) {
            throw new UnexpectedReplyException("pairs", reply);
        }
        return items;
    }

    private static double real(String text, Reply reply) {
        return switch (text) {
            case "inf", "+inf" -> Double.POSITIVE_INFINITY;
            case "-inf" -> Double.NEGATIVE_INFINITY;
            case "nan", "-nan" -> Double.NaN;
            default -> {
                try {
                    yield Double.parseDouble(text);
                } catch (NumberFormatException e) {
                    throw new UnexpectedReplyException("a number", reply);
                }
            }
        };
    }

    private static boolean areBytes(List<?> elements) {
        return !elements.isEmpty() && elements.stream().allMatch(element -> element instanceof byte[]);
    }

    private static int compareBytes(Object one, Object other) {
        return Arrays.compareUnsigned((byte[]) one, (byte[]) other);
    }
}
