// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.Fusion;
import io.millrace.resp.Reply;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a server takes of that which fusion makes of commands. It says in {@code HELLO} who it is; one that does not, or is a
 * stranger, gets nothing fused. What a user may run is found out by having it queued in a transaction that is given up.
 */
final class FusionSupport {

    private static final Pattern VERSION = Pattern.compile("(\\d{1,6})\\.(\\d{1,6})(\\D.*)?");

    /** What their commands need; {@code MSET}, {@code HMGET}, {@code BITFIELD} and the others are older than HELLO. */
    private static final Set<Fusion> SINCE_6_2 = Set.of(Fusion.LPOP, Fusion.RPOP, Fusion.SISMEMBER, Fusion.ZSCORE);

    /** No application names a key like this, so that only who may use any key may use this one. */
    private static final String ANY_KEY = "\u0001millrace\u0001";

    private FusionSupport() {}

    /** Those of {@code wanted} that a server knows that answered HELLO with {@code hello}. */
    static Set<Fusion> of(Reply hello, Set<Fusion> wanted) {
        Optional<String> server = field(hello, "server");
        Matcher version = VERSION.matcher(field(hello, "version").orElse(""));
        if (server.isEmpty() || !version.matches()) {
            return Fusion.NONE;
        }
        long number = Long.parseLong(version.group(1)) * 1_000_000 + Long.parseLong(version.group(2));
        return switch (server.get().toLowerCase(Locale.ROOT)) {
            case "redis" -> known(wanted, number >= 6_000_002, number >= 8_000_004);
            case "valkey" -> known(wanted, true, number >= 9_000_001);
            default -> Fusion.NONE;
        };
    }

    private static Set<Fusion> known(Set<Fusion> wanted, boolean hasCounts, boolean hasMsetex) {
        Set<Fusion> known = EnumSet.noneOf(Fusion.class);
        known.addAll(wanted);
        if (!hasCounts) {
            known.removeAll(SINCE_6_2);
        }
        if (!hasMsetex) {
            known.remove(Fusion.SET_EXPIRING);
        }
        return known;
    }

    private static Optional<String> field(Reply hello, String name) {
        if (hello instanceof Reply.MapReply map) {
            for (int i = 0; i + 1 < map.keysAndValues().size(); i += 2) {
                if (text(map.keysAndValues().get(i)).equals(name)) {
                    return Optional.of(text(map.keysAndValues().get(i + 1)));
                }
            }
        }
        return Optional.empty();
    }

    private static String text(Reply reply) {
        return switch (reply) {
            case Reply.BulkString bulk -> bulk.text();
            case Reply.SimpleString simple -> simple.text();
            default -> "";
        };
    }

    /** The commands that show whether a user may run what {@code kinds} are fused into; nothing of it is executed. */
    static List<List<String>> trial(Set<Fusion> kinds) {
        List<List<String>> commands = new ArrayList<>();
        commands.add(List.of("MULTI"));
        kinds.forEach(kind -> commands.add(example(kind)));
        commands.add(List.of("DISCARD"));
        return commands;
    }

    /**
     * Those of {@code kinds} that the user may run, after the answers to {@link #trial}. A user who may use some keys only must
     * not have commands on several keys fused: a key that is denied would take the others along.
     */
    static Set<Fusion> permitted(Set<Fusion> kinds, List<Reply> answers) {
        Set<Fusion> permitted = EnumSet.noneOf(Fusion.class);
        if (answers.getFirst() instanceof Reply.ErrorReply) {
            return permitted;
        }
        int answer = 1;
        for (Fusion kind : kinds) {
            boolean ofKey = isOnOneKey(kind) && isForKeyOnly(answers.get(answer));
            if (ofKey || !(answers.get(answer) instanceof Reply.ErrorReply)) {
                permitted.add(kind);
            }
            answer++;
        }
        return permitted;
    }

    /** Whether it was the key that the user may not use, and not the command. */
    private static boolean isForKeyOnly(Reply answer) {
        return answer instanceof Reply.ErrorReply error
                && error.code().equals("NOPERM")
                && !error.message().contains("run the");
    }

    private static boolean isOnOneKey(Fusion kind) {
        return switch (kind) {
            case SET, SET_EXPIRING, GET, DEL, UNLINK -> false;
            default -> true;
        };
    }

    private static List<String> example(Fusion kind) {
        return switch (kind) {
            case SET -> List.of("MSET", ANY_KEY, "v");
            case SET_EXPIRING -> List.of("MSETEX", "1", ANY_KEY, "v", "EX", "1");
            case GET -> List.of("MGET", ANY_KEY);
            case HGET -> List.of("HMGET", ANY_KEY, "f");
            case LPOP -> List.of("LPOP", ANY_KEY, "2");
            case RPOP -> List.of("RPOP", ANY_KEY, "2");
            case LPUSH -> List.of("LPUSH", ANY_KEY, "v");
            case RPUSH -> List.of("RPUSH", ANY_KEY, "v");
            case APPEND -> List.of("APPEND", ANY_KEY, "v");
            case INCRBY -> List.of("INCRBY", ANY_KEY, "1");
            case SETBIT -> List.of("BITFIELD", ANY_KEY, "SET", "u1", "0", "1");
            case SISMEMBER -> List.of("SMISMEMBER", ANY_KEY, "m");
            case ZSCORE -> List.of("ZMSCORE", ANY_KEY, "m");
            case HSET -> List.of("HSET", ANY_KEY, "f", "v");
            case HDEL -> List.of("HDEL", ANY_KEY, "f");
            case SADD -> List.of("SADD", ANY_KEY, "m");
            case SREM -> List.of("SREM", ANY_KEY, "m");
            case ZADD -> List.of("ZADD", ANY_KEY, "1", "m");
            case ZREM -> List.of("ZREM", ANY_KEY, "m");
            case DEL -> List.of("DEL", ANY_KEY);
            case UNLINK -> List.of("UNLINK", ANY_KEY);
        };
    }
}
