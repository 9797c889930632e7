// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.fusion;

import io.millrace.client.command.Fusion;
import io.millrace.client.internal.fusion.ListingBatch.ReplyShape;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * How commands of one kind are fused.
 *
 * @param exampleCommand an example of the fused command, with as few arguments as possible. The server's reply to it
 *     shows whether a user may run the fused command
 * @param onOneKey whether all commands of a batch have the same key
 * @param since oldest server version that knows the fused command
 * @param newBatch creates the encoder of batches for one connection
 */
record FusionRule(List<String> exampleCommand, boolean onOneKey, ServerVersion since, Supplier<FusedBatch> newBatch) {

    /** Server versions, distinguished by the commands that they know. */
    enum ServerVersion {
        /** Every server that knows HELLO. */
        HELLO,
        /** Redis 6.2: {@code LPOP} and {@code RPOP} with a count, {@code SMISMEMBER}, {@code ZMSCORE}. */
        REDIS_6_2,
        /** Redis 8.4, Valkey 9.1: {@code MSETEX}. */
        REDIS_8_4
    }

    /** A key that no application uses. Only a user with access to all keys may use this key. */
    private static final String ANY_KEY = "\u0001millrace\u0001";

    /** Returns the rule for {@code kind}. */
    static FusionRule of(Fusion kind) {
        return switch (kind) {
            case SET -> ofKeys(ReplyShape.OK, exactly(2), "MSET", ANY_KEY, "v");
            case SET_EXPIRING ->
                new FusionRule(
                        List.of("MSETEX", "1", ANY_KEY, "v", "EX", "1"),
                        false,
                        ServerVersion.REDIS_8_4,
                        ExpiringBatch::new);
            case GET -> ofKeys(ReplyShape.ITEM, exactly(1), "MGET", ANY_KEY);
            case HGET -> onKey(ReplyShape.ITEM, exactly(2), ServerVersion.HELLO, "HMGET", ANY_KEY, "f");
            case LPOP -> popping("LPOP");
            case RPOP -> popping("RPOP");
            case LPUSH -> onKey(ReplyShape.RUNNING_COUNT, atLeast(2), ServerVersion.HELLO, "LPUSH", ANY_KEY, "v");
            case RPUSH -> onKey(ReplyShape.RUNNING_COUNT, atLeast(2), ServerVersion.HELLO, "RPUSH", ANY_KEY, "v");
            case APPEND -> onKey(AppendingBatch::new, "APPEND", ANY_KEY, "v");
            case INCRBY -> onKey(SummingBatch::new, "INCRBY", ANY_KEY, "1");
            case SETBIT -> onKey(BitBatch::new, "BITFIELD", ANY_KEY, "SET", "u1", "0", "1");
            case SISMEMBER -> onKey(ReplyShape.ITEM, exactly(2), ServerVersion.REDIS_6_2, "SMISMEMBER", ANY_KEY, "m");
            case ZSCORE -> onKey(ReplyShape.ITEM, exactly(2), ServerVersion.REDIS_6_2, "ZMSCORE", ANY_KEY, "m");
            case HSET ->
                onKey(ReplyShape.NUMBER, FusionRule::keyAndPairs, ServerVersion.HELLO, "HSET", ANY_KEY, "f", "v");
            case HDEL -> onKey(ReplyShape.NUMBER, atLeast(2), ServerVersion.HELLO, "HDEL", ANY_KEY, "f");
            case SADD -> onKey(ReplyShape.NUMBER, atLeast(2), ServerVersion.HELLO, "SADD", ANY_KEY, "m");
            case SREM -> onKey(ReplyShape.NUMBER, atLeast(2), ServerVersion.HELLO, "SREM", ANY_KEY, "m");
            case ZADD ->
                onKey(ReplyShape.NUMBER, FusionRule::keyAndScores, ServerVersion.HELLO, "ZADD", ANY_KEY, "1", "m");
            case ZREM -> onKey(ReplyShape.NUMBER, atLeast(2), ServerVersion.HELLO, "ZREM", ANY_KEY, "m");
            case DEL -> ofKeys(ReplyShape.NUMBER, atLeast(1), "DEL", ANY_KEY);
            case UNLINK -> ofKeys(ReplyShape.NUMBER, atLeast(1), "UNLINK", ANY_KEY);
        };
    }

    /** Returns the rule for commands on different keys. The fused command lists the arguments of all commands. */
    private static FusionRule ofKeys(ReplyShape answer, Predicate<BufferedArguments> shape, String... fused) {
        return new FusionRule(
                List.of(fused), false, ServerVersion.HELLO, () -> new ListingBatch(fused[0], false, answer, shape));
    }

    /** Returns the rule for commands on one key. The fused command has the key, and then lists the other arguments. */
    private static FusionRule onKey(
            ReplyShape answer, Predicate<BufferedArguments> shape, ServerVersion since, String... fused) {
        return new FusionRule(List.of(fused), true, since, () -> new ListingBatch(fused[0], true, answer, shape));
    }

    private static FusionRule onKey(Supplier<FusedBatch> newBatch, String... fused) {
        return new FusionRule(List.of(fused), true, ServerVersion.HELLO, newBatch);
    }

    private static FusionRule popping(String name) {
        return new FusionRule(List.of(name, ANY_KEY, "2"), true, ServerVersion.REDIS_6_2, () -> new PoppingBatch(name));
    }

    private static Predicate<BufferedArguments> exactly(int count) {
        return arguments -> arguments.count() == count;
    }

    private static Predicate<BufferedArguments> atLeast(int count) {
        return arguments -> arguments.count() >= count;
    }

    private static boolean keyAndPairs(BufferedArguments arguments) {
        return arguments.count() >= 3 && arguments.count() % 2 == 1;
    }

    /**
     * Accepts only plain scores. An invalid score would fail the whole batch, and an option in place of a score would
     * apply to the whole batch.
     */
    private static boolean keyAndScores(BufferedArguments arguments) {
        boolean scores = keyAndPairs(arguments);
        for (int i = 1; scores && i < arguments.count(); i += 2) {
            scores = arguments.isPlainDecimal(i);
        }
        return scores;
    }
}
