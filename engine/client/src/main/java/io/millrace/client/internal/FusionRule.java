// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.Fusion;
import io.millrace.client.internal.ListingRun.Answer;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * How commands of one kind are fused.
 *
 * @param fused the command that they become, with the least arguments that show whether a user may run it
 * @param onOneKey whether all commands of a run have their key in common
 * @param since the first server that knows the fused command
 * @param run makes what fuses them on one connection
 */
record FusionRule(List<String> fused, boolean onOneKey, Since since, Supplier<Run> run) {

    /** Servers, by what they know. */
    enum Since {
        /** Every server that knows HELLO. */
        HELLO,
        /** Redis 6.2: counts and commands with several members. */
        REDIS_6_2,
        /** Redis 8.4, Valkey 9.1: {@code MSETEX}. */
        REDIS_8_4
    }

    /** No application names a key like this, so only who may use any key may use this one. */
    private static final String ANY_KEY = "\u0001millrace\u0001";

    /** The rule for {@code kind}. */
    static FusionRule of(Fusion kind) {
        return switch (kind) {
            case SET -> ofKeys(Answer.OK, exactly(2), "MSET", ANY_KEY, "v");
            case SET_EXPIRING ->
                new FusionRule(
                        List.of("MSETEX", "1", ANY_KEY, "v", "EX", "1"), false, Since.REDIS_8_4, ExpiringRun::new);
            case GET -> ofKeys(Answer.ITEM, exactly(1), "MGET", ANY_KEY);
            case HGET -> onKey(Answer.ITEM, exactly(2), Since.HELLO, "HMGET", ANY_KEY, "f");
            case LPOP -> popping("LPOP");
            case RPOP -> popping("RPOP");
            case LPUSH -> onKey(Answer.RUNNING_COUNT, atLeast(2), Since.HELLO, "LPUSH", ANY_KEY, "v");
            case RPUSH -> onKey(Answer.RUNNING_COUNT, atLeast(2), Since.HELLO, "RPUSH", ANY_KEY, "v");
            case APPEND -> onKey(AppendingRun::new, "APPEND", ANY_KEY, "v");
            case INCRBY -> onKey(SummingRun::new, "INCRBY", ANY_KEY, "1");
            case SETBIT -> onKey(BitRun::new, "BITFIELD", ANY_KEY, "SET", "u1", "0", "1");
            case SISMEMBER -> onKey(Answer.ITEM, exactly(2), Since.REDIS_6_2, "SMISMEMBER", ANY_KEY, "m");
            case ZSCORE -> onKey(Answer.ITEM, exactly(2), Since.REDIS_6_2, "ZMSCORE", ANY_KEY, "m");
            case HSET -> onKey(Answer.NUMBER, FusionRule::keyAndPairs, Since.HELLO, "HSET", ANY_KEY, "f", "v");
            case HDEL -> onKey(Answer.NUMBER, atLeast(2), Since.HELLO, "HDEL", ANY_KEY, "f");
            case SADD -> onKey(Answer.NUMBER, atLeast(2), Since.HELLO, "SADD", ANY_KEY, "m");
            case SREM -> onKey(Answer.NUMBER, atLeast(2), Since.HELLO, "SREM", ANY_KEY, "m");
            case ZADD -> onKey(Answer.NUMBER, FusionRule::keyAndScores, Since.HELLO, "ZADD", ANY_KEY, "1", "m");
            case ZREM -> onKey(Answer.NUMBER, atLeast(2), Since.HELLO, "ZREM", ANY_KEY, "m");
            case DEL -> ofKeys(Answer.NUMBER, atLeast(1), "DEL", ANY_KEY);
            case UNLINK -> ofKeys(Answer.NUMBER, atLeast(1), "UNLINK", ANY_KEY);
        };
    }

    /** Commands on keys of their own, listed. */
    private static FusionRule ofKeys(Answer answer, Predicate<HeldArguments> shape, String... fused) {
        return new FusionRule(List.of(fused), false, Since.HELLO, () -> new ListingRun(fused[0], false, answer, shape));
    }

    /** Commands on one key, listed behind it. */
    private static FusionRule onKey(Answer answer, Predicate<HeldArguments> shape, Since since, String... fused) {
        return new FusionRule(List.of(fused), true, since, () -> new ListingRun(fused[0], true, answer, shape));
    }

    private static FusionRule onKey(Supplier<Run> run, String... fused) {
        return new FusionRule(List.of(fused), true, Since.HELLO, run);
    }

    private static FusionRule popping(String name) {
        return new FusionRule(List.of(name, ANY_KEY, "2"), true, Since.REDIS_6_2, () -> new PoppingRun(name));
    }

    private static Predicate<HeldArguments> exactly(int count) {
        return arguments -> arguments.count() == count;
    }

    private static Predicate<HeldArguments> atLeast(int count) {
        return arguments -> arguments.count() >= count;
    }

    private static boolean keyAndPairs(HeldArguments arguments) {
        return arguments.count() >= 3 && arguments.count() % 2 == 1;
    }

    /** A bad score would spoil the others, and an option, which stands where a score would, concerns them. */
    private static boolean keyAndScores(HeldArguments arguments) {
        boolean scores = keyAndPairs(arguments);
        for (int i = 1; scores && i < arguments.count(); i += 2) {
            scores = arguments.isPlainDecimal(i);
        }
        return scores;
    }
}
