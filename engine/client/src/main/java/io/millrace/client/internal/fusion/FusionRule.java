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
 * @param testCommand a command with the name of the fused command that changes nothing when it is executed. The server's reply to it shows
 *     whether a user may run the fused command. Empty if the fused command has the name and the key of the single
 *     commands
 * @param onOneKey whether all commands of a batch have the same key
 * @param since oldest server version that knows the fused command
 * @param newBatch creates the encoder of batches for one connection
 */
record FusionRule(List<String> testCommand, boolean onOneKey, ServerVersion since, Supplier<FusedBatch> newBatch) {

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

    /** A digest that no script has. */
    private static final String NO_SCRIPT = "0".repeat(40);

    /** Returns the rule for {@code kind}. */
    static FusionRule of(Fusion kind) {
        return switch (kind) {
            // The last key has no value, so the server replies with an error and writes nothing.
            case SET -> ofKeys(2, ReplyShape.OK, exactly(2), "MSET", ANY_KEY, "v", ANY_KEY);
            case SET_EXPIRING ->
                // XX: the server writes nothing, because the key does not exist.
                new FusionRule(
                        List.of("MSETEX", "1", ANY_KEY, "v", "XX", "EX", "1"),
                        false,
                        ServerVersion.REDIS_8_4,
                        ExpiringBatch::new);
            case GET -> ofKeys(1, ReplyShape.ITEM, exactly(1), "MGET", ANY_KEY);
            case HGET -> onKey("HMGET", ReplyShape.ITEM, exactly(2), ServerVersion.HELLO, "f");
            case LPOP -> popping("LPOP");
            case RPOP -> popping("RPOP");
            case LPUSH -> onKey("LPUSH", ReplyShape.RUNNING_COUNT, atLeast(2), ServerVersion.HELLO);
            case RPUSH -> onKey("RPUSH", ReplyShape.RUNNING_COUNT, atLeast(2), ServerVersion.HELLO);
            case APPEND -> onKey(AppendingBatch::new);
            case INCRBY -> onKey(SummingBatch::new);
            case SETBIT -> new FusionRule(List.of("BITFIELD", ANY_KEY), true, ServerVersion.HELLO, BitBatch::new);
            case SISMEMBER -> onKey("SMISMEMBER", ReplyShape.ITEM, exactly(2), ServerVersion.REDIS_6_2, "m");
            case ZSCORE -> onKey("ZMSCORE", ReplyShape.ITEM, exactly(2), ServerVersion.REDIS_6_2, "m");
            case HSET -> onKey("HSET", ReplyShape.NUMBER, FusionRule::keyAndPairs, ServerVersion.HELLO);
            case HDEL -> onKey("HDEL", ReplyShape.NUMBER, atLeast(2), ServerVersion.HELLO);
            case SADD -> onKey("SADD", ReplyShape.NUMBER, atLeast(2), ServerVersion.HELLO);
            case SREM -> onKey("SREM", ReplyShape.NUMBER, atLeast(2), ServerVersion.HELLO);
            case ZADD -> onKey("ZADD", ReplyShape.NUMBER, FusionRule::keyAndScores, ServerVersion.HELLO);
            case ZREM -> onKey("ZREM", ReplyShape.NUMBER, atLeast(2), ServerVersion.HELLO);
            case DEL -> ofKeys(1, ReplyShape.NUMBER, atLeast(1), "DEL", ANY_KEY);
            case UNLINK -> ofKeys(1, ReplyShape.NUMBER, atLeast(1), "UNLINK", ANY_KEY);
            case SCRIPT ->
                new FusionRule(
                        List.of("EVALSHA", NO_SCRIPT, "1", ANY_KEY), false, ServerVersion.HELLO, ScriptBatch::new);
        };
    }

    /** Returns the rule for commands on different keys. The fused command lists the arguments of all commands. */
    private static FusionRule ofKeys(
            int keyStep, ReplyShape answer, Predicate<BufferedArguments> shape, String... test) {
        return new FusionRule(
                List.of(test), false, ServerVersion.HELLO, () -> new ListingBatch(test[0], keyStep, answer, shape));
    }

    /** Returns the rule for commands on one key. The fused command has the key, and then lists the other arguments. */
    private static FusionRule onKey(
            String fused, ReplyShape answer, Predicate<BufferedArguments> shape, ServerVersion since) {
        return new FusionRule(
                List.of(), true, since, () -> new ListingBatch(fused, ListingBatch.COMMON_KEY, answer, shape));
    }

    /** Same as the other method, but the fused command has another name and needs a test, with one argument. */
    private static FusionRule onKey(
            String fused,
            ReplyShape answer,
            Predicate<BufferedArguments> shape,
            ServerVersion since,
            String testArgument) {
        return new FusionRule(
                List.of(fused, ANY_KEY, testArgument),
                true,
                since,
                () -> new ListingBatch(fused, ListingBatch.COMMON_KEY, answer, shape));
    }

    private static FusionRule onKey(Supplier<FusedBatch> newBatch) {
        return new FusionRule(List.of(), true, ServerVersion.HELLO, newBatch);
    }

    private static FusionRule popping(String name) {
        return new FusionRule(List.of(), true, ServerVersion.REDIS_6_2, () -> new PoppingBatch(name));
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
