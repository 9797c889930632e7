// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A kind of command fusion. The client combines adjacent commands of one kind into one command that costs the server
 * less. Each caller still receives the reply to its own command. {@code docs/fusion.md} describes the effects that are
 * visible on the server.
 *
 * <p>The client fuses only commands that already wait for the next write; it delays no command for fusion. A fused
 * command replaces at most 64 commands and is at most about 8 KiB long. A kind is not used if the server does not know
 * its fused command, or if the user of the connection has no permission for the fused command.
 */
public enum Fusion {
    /** Several {@code SET key value}, without options, become one {@code MSET}. */
    SET("SET", Guarantee.EXACT),
    /**
     * Several {@code SET key value EX seconds} or {@code PX milliseconds}, all with the same time, become one
     * {@code MSETEX} (Redis 8.4, Valkey 9.1).
     */
    SET_EXPIRING("", Guarantee.EXACT),
    /**
     * Several {@code GET} become one {@code MGET}. For a key of another type, {@code MGET} returns no value, and
     * {@code GET} would return an error.
     */
    GET("GET", Guarantee.NEARLY_EXACT),
    /** Several {@code HGET} of one hash become one {@code HMGET}. */
    HGET("HGET", Guarantee.EXACT),
    /** Several {@code LPOP} of one list become one {@code LPOP} with a count (Redis 6.2). */
    LPOP("LPOP", Guarantee.EXACT),
    /** Several {@code RPOP} of one list become one {@code RPOP} with a count (Redis 6.2). */
    RPOP("RPOP", Guarantee.EXACT),
    /**
     * Several {@code LPUSH} on one list become one {@code LPUSH} of all elements. If a client is blocked on the list,
     * it receives its element only after all elements have been pushed.
     */
    LPUSH("LPUSH", Guarantee.EXACT),
    /**
     * Several {@code RPUSH} on one list become one {@code RPUSH} of all elements. If a client is blocked on the list,
     * it receives its element only after all elements have been pushed.
     */
    RPUSH("RPUSH", Guarantee.EXACT),
    /** Several {@code APPEND} to one string become one {@code APPEND} of all bytes. */
    APPEND("APPEND", Guarantee.EXACT),
    /**
     * Several {@code INCRBY} on one key, all with the same sign, become one {@code INCRBY} of the sum. If the sum
     * overflows, no increment is applied.
     */
    INCRBY("INCRBY", Guarantee.NEARLY_EXACT),
    /**
     * Several {@code SETBIT} on one string become one {@code BITFIELD}. Consecutive bits become a single operation of
     * the {@code BITFIELD}.
     */
    SETBIT("SETBIT", Guarantee.EXACT),
    /** Several {@code SISMEMBER} of one set become one {@code SMISMEMBER} (Redis 6.2). */
    SISMEMBER("SISMEMBER", Guarantee.EXACT),
    /** Several {@code ZSCORE} of one sorted set become one {@code ZMSCORE} (Redis 6.2). */
    ZSCORE("ZSCORE", Guarantee.EXACT),
    /** Several {@code HSET} on one hash become one {@code HSET} of all fields. */
    HSET("HSET", Guarantee.BATCH_COUNTS),
    /** Several {@code HDEL} on one hash become one {@code HDEL} of all fields. */
    HDEL("HDEL", Guarantee.BATCH_COUNTS),
    /** Several {@code SADD} on one set become one {@code SADD} of all members. */
    SADD("SADD", Guarantee.BATCH_COUNTS),
    /** Several {@code SREM} on one set become one {@code SREM} of all members. */
    SREM("SREM", Guarantee.BATCH_COUNTS),
    /**
     * Several {@code ZADD key score member}, without options, on one sorted set become one {@code ZADD} of all members.
     */
    ZADD("ZADD", Guarantee.BATCH_COUNTS),
    /** Several {@code ZREM} on one sorted set become one {@code ZREM} of all members. */
    ZREM("ZREM", Guarantee.BATCH_COUNTS),
    /** Several {@code DEL} become one {@code DEL} of all keys. */
    DEL("DEL", Guarantee.BATCH_COUNTS),
    /** Several {@code UNLINK} become one {@code UNLINK} of all keys. */
    UNLINK("UNLINK", Guarantee.BATCH_COUNTS),
    /**
     * Several {@code EVALSHA sha1 1 key option count argument …} with the same script become one {@code EVALSHA} with
     * several groups. A group has a key, an option and any number of arguments:
     *
     * <pre>
     *   EVALSHA sha1 1 a 1000 2 f v  \
     *   EVALSHA sha1 1 a 1000 2 g w   >  EVALSHA sha1 2 a b  1000 4 f v g w  1000 2 f v
     *   EVALSHA sha1 1 b 1000 2 f v  /
     * </pre>
     *
     * <p>Adjacent commands with the same key and the same option share a group. A command with a minus sign before its
     * count has a separate group, and the minus sign stays.
     *
     * <p>Only for scripts that treat each group separately, one after the other. The reply of the script is the reply of
     * its only group, or an array with the reply of each group, in order. The reply of a group, which may be an error
     * reply, is the reply of each command of the group.
     */
    SCRIPT("EVALSHA", Guarantee.FORM_OF_SCRIPT);

    /** How closely the replies of fused commands match the replies of single commands. */
    public enum Guarantee {
        /** Same replies and same data, unless a limit of the server is reached, such as {@code maxmemory}. */
        EXACT,
        /** Same replies and same data, with one exception. The comment of the fusion kind describes the exception. */
        NEARLY_EXACT,
        /**
         * Same data. A number in the reply, such as the number of new fields, is the total of the whole fused command.
         */
        BATCH_COUNTS,
        /** Same data, if the script has the form that the comment of the fusion kind describes. */
        FORM_OF_SCRIPT
    }

    /** No fusion. */
    public static final Set<Fusion> NONE = Set.of();

    /** All kinds that {@linkplain Guarantee#EXACT change no reply}. The default. */
    public static final Set<Fusion> ALL_EXACT = promising(EnumSet.of(Guarantee.EXACT));

    /**
     * All kinds of {@link #ALL_EXACT} and {@link Guarantee#BATCH_COUNTS}. A number in a reply may therefore be the
     * total of the whole fused command. Intended for bulk writes that ignore the numbers in the replies.
     */
    public static final Set<Fusion> FOR_BULK_WRITES = promising(EnumSet.of(Guarantee.EXACT, Guarantee.BATCH_COUNTS));

    private static final Map<String, Fusion> BY_COMMAND = byCommand();

    private final String command;
    private final Guarantee guarantee;

    Fusion(String command, Guarantee promise) {
        this.command = command;
        this.guarantee = promise;
    }

    public Guarantee guarantee() {
        return guarantee;
    }

    /** The fusion kind for commands named {@code command}; null if such commands are never fused. */
    static @Nullable Fusion of(String command) {
        return BY_COMMAND.get(command.toUpperCase(Locale.ROOT));
    }

    private static Set<Fusion> promising(Set<Guarantee> promises) {
        Set<Fusion> kinds = EnumSet.allOf(Fusion.class);
        kinds.removeIf(kind -> !promises.contains(kind.guarantee));
        return Collections.unmodifiableSet(kinds);
    }

    private static Map<String, Fusion> byCommand() {
        Map<String, Fusion> kinds = new HashMap<>();
        Arrays.stream(values()).filter(kind -> !kind.command.isEmpty()).forEach(kind -> kinds.put(kind.command, kind));
        return kinds;
    }
}
