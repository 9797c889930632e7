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
 * less. Each caller still gets the reply to its own command. {@code docs/fusion.md} describes the effects that are
 * visible on the server.
 *
 * <p>Only commands that already wait to be sent are fused; no command is delayed for fusion. A fused command has at
 * most 64 parts and about 8 KiB. A kind is not used if the server does not know its fused command or the connection's
 * user may not run it.
 */
public enum Fusion {
    /** {@code SET key value}, without options, becomes {@code MSET}. */
    SET("SET", Guarantee.EXACT),
    /**
     * {@code SET key value EX seconds} or {@code PX milliseconds}, all with the same time, becomes {@code MSETEX}
     * (Redis 8.4, Valkey 9.1).
     */
    SET_EXPIRING("", Guarantee.EXACT),
    /** {@code GET} becomes {@code MGET}. A key of another type then reads as absent instead of returning an error. */
    GET("GET", Guarantee.NEARLY_EXACT),
    /** {@code HGET} of one hash becomes {@code HMGET}. */
    HGET("HGET", Guarantee.EXACT),
    /** {@code LPOP} of one list becomes {@code LPOP} with a count (Redis 6.2). */
    LPOP("LPOP", Guarantee.EXACT),
    /** {@code RPOP} of one list becomes {@code RPOP} with a count (Redis 6.2). */
    RPOP("RPOP", Guarantee.EXACT),
    /**
     * {@code LPUSH} on one list becomes one {@code LPUSH} of all elements. A client blocked on the list is served after
     * all of them.
     */
    LPUSH("LPUSH", Guarantee.EXACT),
    /**
     * {@code RPUSH} on one list becomes one {@code RPUSH} of all elements. A client blocked on the list is served after
     * all of them.
     */
    RPUSH("RPUSH", Guarantee.EXACT),
    /** {@code APPEND} to one string becomes one {@code APPEND} of all bytes. */
    APPEND("APPEND", Guarantee.EXACT),
    /**
     * {@code INCRBY} on one key, all of one sign, becomes one {@code INCRBY} of the sum. If the sum overflows, none is
     * applied.
     */
    INCRBY("INCRBY", Guarantee.NEARLY_EXACT),
    /** {@code SETBIT} on one string becomes {@code BITFIELD}. Consecutive bits become a single operation. */
    SETBIT("SETBIT", Guarantee.EXACT),
    /** {@code SISMEMBER} of one set becomes {@code SMISMEMBER} (Redis 6.2). */
    SISMEMBER("SISMEMBER", Guarantee.EXACT),
    /** {@code ZSCORE} of one sorted set becomes {@code ZMSCORE} (Redis 6.2). */
    ZSCORE("ZSCORE", Guarantee.EXACT),
    /** {@code HSET} on one hash becomes one {@code HSET} of all fields. */
    HSET("HSET", Guarantee.BATCH_COUNTS),
    /** {@code HDEL} on one hash becomes one {@code HDEL} of all fields. */
    HDEL("HDEL", Guarantee.BATCH_COUNTS),
    /** {@code SADD} on one set becomes one {@code SADD} of all members. */
    SADD("SADD", Guarantee.BATCH_COUNTS),
    /** {@code SREM} on one set becomes one {@code SREM} of all members. */
    SREM("SREM", Guarantee.BATCH_COUNTS),
    /** {@code ZADD key score member}, without options, on one sorted set becomes one {@code ZADD} of all members. */
    ZADD("ZADD", Guarantee.BATCH_COUNTS),
    /** {@code ZREM} on one sorted set becomes one {@code ZREM} of all members. */
    ZREM("ZREM", Guarantee.BATCH_COUNTS),
    /** {@code DEL} becomes one {@code DEL} of all keys. */
    DEL("DEL", Guarantee.BATCH_COUNTS),
    /** {@code UNLINK} becomes one {@code UNLINK} of all keys. */
    UNLINK("UNLINK", Guarantee.BATCH_COUNTS);

    /** How closely the replies of fused commands match the replies of single commands. */
    public enum Guarantee {
        /** Same replies and same data, within the limits of the server. */
        EXACT,
        /** Same replies and same data, except in the case named at the kind. */
        NEARLY_EXACT,
        /**
         * Same data. A number in the reply, such as the number of new fields, is the number of the whole fused command.
         */
        BATCH_COUNTS
    }

    /** No fusion. */
    public static final Set<Fusion> NONE = Set.of();

    /** All kinds that {@linkplain Guarantee#EXACT change no reply}. The default. */
    public static final Set<Fusion> ALL_EXACT = promising(EnumSet.of(Guarantee.EXACT));

    /**
     * {@link #ALL_EXACT}, and the kinds whose replies have the numbers of the whole fused command. For bulk writes that
     * do not use those numbers.
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

    /** The kind that {@code command} may begin; null if the command is never fused. */
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
