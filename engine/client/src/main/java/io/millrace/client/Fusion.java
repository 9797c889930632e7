// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A kind of commands of which adjacent ones can become one that costs the server less, while each caller gets the reply that
 * its own command would have had. {@code docs/fusion.md} says what somebody who watches the server sees of it.
 *
 * <p>Only what waits to be sent anyway is fused; nothing waits for company. A run has 64 commands and some 8 KiB at most. A kind
 * that the server does not know, or that the user of the connection may not run, is not fused.
 */
public enum Fusion {
    /** {@code SET key value}, without options, becomes {@code MSET}. */
    SET("SET", Promise.EXACT),
    /**
     * {@code SET key value EX seconds} or {@code PX milliseconds}, of one and the same time, becomes {@code MSETEX}: Redis 8.4,
     * Valkey 9.1.
     */
    SET_EXPIRING("", Promise.EXACT),
    /** {@code GET} becomes {@code MGET}. A key of another type then reads as absent, instead of being an error. */
    GET("GET", Promise.NEARLY),
    /** {@code HGET} of one hash becomes {@code HMGET}. */
    HGET("HGET", Promise.EXACT),
    /** {@code LPOP} of one list becomes {@code LPOP} with a count: Redis 6.2. */
    LPOP("LPOP", Promise.EXACT),
    /** {@code RPOP} of one list becomes {@code RPOP} with a count: Redis 6.2. */
    RPOP("RPOP", Promise.EXACT),
    /** {@code LPUSH} on one list becomes one with all elements. Whoever waits for the list is served after all of them. */
    LPUSH("LPUSH", Promise.EXACT),
    /** {@code RPUSH} on one list becomes one with all elements. Whoever waits for the list is served after all of them. */
    RPUSH("RPUSH", Promise.EXACT),
    /** {@code APPEND} to one string becomes one with all the bytes. */
    APPEND("APPEND", Promise.EXACT),
    /** {@code INCRBY} on one key, all of one sign, becomes the sum. Where that would overflow none is applied. */
    INCRBY("INCRBY", Promise.NEARLY),
    /** {@code SETBIT} on one string becomes {@code BITFIELD}, runs of consecutive bits a single operation of it. */
    SETBIT("SETBIT", Promise.EXACT),
    /** {@code SISMEMBER} of one set becomes {@code SMISMEMBER}: Redis 6.2. */
    SISMEMBER("SISMEMBER", Promise.EXACT),
    /** {@code ZSCORE} of one sorted set becomes {@code ZMSCORE}: Redis 6.2. */
    ZSCORE("ZSCORE", Promise.EXACT),
    /** {@code HSET} on one hash becomes one with all fields. */
    HSET("HSET", Promise.WITHOUT_NUMBERS),
    /** {@code HDEL} on one hash becomes one with all fields. */
    HDEL("HDEL", Promise.WITHOUT_NUMBERS),
    /** {@code SADD} on one set becomes one with all members. */
    SADD("SADD", Promise.WITHOUT_NUMBERS),
    /** {@code SREM} on one set becomes one with all members. */
    SREM("SREM", Promise.WITHOUT_NUMBERS),
    /** {@code ZADD key score member}, without options, on one sorted set becomes one with all members. */
    ZADD("ZADD", Promise.WITHOUT_NUMBERS),
    /** {@code ZREM} on one sorted set becomes one with all members. */
    ZREM("ZREM", Promise.WITHOUT_NUMBERS),
    /** {@code DEL} becomes one with all keys. */
    DEL("DEL", Promise.WITHOUT_NUMBERS),
    /** {@code UNLINK} becomes one with all keys. */
    UNLINK("UNLINK", Promise.WITHOUT_NUMBERS);

    /** How close the replies of fused commands are to those of single ones. */
    public enum Promise {
        /** The same replies and the same data, within the limits of the server. */
        EXACT,
        /** The same but for the case that the kind names. */
        NEARLY,
        /** The same data; the number in the reply, such as how many fields were new, is that of the whole run. */
        WITHOUT_NUMBERS
    }

    /** No kind at all. */
    public static final Set<Fusion> NONE = Set.of();

    /** All that {@linkplain Promise#EXACT changes no reply}: the default. */
    public static final Set<Fusion> ALL_EXACT = promising(EnumSet.of(Promise.EXACT));

    /** Besides those the ones whose numbers are those of the run: for who writes and does not ask how many were new. */
    public static final Set<Fusion> FOR_WRITING = promising(EnumSet.of(Promise.EXACT, Promise.WITHOUT_NUMBERS));

    private static final Map<String, Fusion> BY_COMMAND = byCommand();

    private final String command;
    private final Promise promise;

    Fusion(String command, Promise promise) {
        this.command = command;
        this.promise = promise;
    }

    public Promise promise() {
        return promise;
    }

    /** The kind that {@code command} may begin; null if it is never fused. */
    static @Nullable Fusion of(String command) {
        return BY_COMMAND.get(command.toUpperCase(Locale.ROOT));
    }

    private static Set<Fusion> promising(Set<Promise> promises) {
        Set<Fusion> kinds = EnumSet.allOf(Fusion.class);
        kinds.removeIf(kind -> !promises.contains(kind.promise));
        return Collections.unmodifiableSet(kinds);
    }

    private static Map<String, Fusion> byCommand() {
        Map<String, Fusion> kinds = new HashMap<>();
        Arrays.stream(values()).filter(kind -> !kind.command.isEmpty()).forEach(kind -> kinds.put(kind.command, kind));
        return kinds;
    }
}
