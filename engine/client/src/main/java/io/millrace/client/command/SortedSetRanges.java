// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

/**
 * Commands that remove, count or store a range of members of a sorted set. {@link SortedSets#range} reads a range.
 */
public final class SortedSetRanges {

    /** {@code ZRANGESTORE destination source first last [options]}: returns the number of members. */
    public static final CommandSpec<Long> ZRANGESTORE = CommandSpec.of("ZRANGESTORE", Decoders.INTEGER);

    /** {@code ZREMRANGEBYRANK key first last}: returns the number of removed members. */
    public static final CommandSpec<Long> ZREMRANGEBYRANK = CommandSpec.of("ZREMRANGEBYRANK", Decoders.INTEGER);

    /** {@code ZREMRANGEBYSCORE key min max}: returns the number of removed members. */
    public static final CommandSpec<Long> ZREMRANGEBYSCORE = CommandSpec.of("ZREMRANGEBYSCORE", Decoders.INTEGER);

    /** {@code ZREMRANGEBYLEX key min max}: returns the number of removed members. */
    public static final CommandSpec<Long> ZREMRANGEBYLEX = CommandSpec.of("ZREMRANGEBYLEX", Decoders.INTEGER);

    /** {@code ZLEXCOUNT key min max}: returns the number of members in this range. */
    public static final CommandSpec<Long> ZLEXCOUNT =
            CommandSpec.of("ZLEXCOUNT", Decoders.INTEGER).idempotently();

    private SortedSetRanges() {}

    /**
     * Stores the members of {@code source} in {@code range}, with their scores, in {@code destination}. Overwrites an
     * existing key.
     */
    public static Command<Long> store(String destination, String source, SortedRange range) {
        return range.addTo(Arguments.of(destination, source)).to(ZRANGESTORE);
    }

    /** Same command as {@link #store(String, String, SortedRange)}, with binary keys. */
    public static Command<Long> store(byte[] destination, byte[] source, SortedRange range) {
        return range.addTo(Arguments.of(destination, source)).to(ZRANGESTORE);
    }

    /**
     * Removes the members of {@code key} with the ranks {@code first} to {@code last}, both included, counted from 0.
     * -1 is the last rank.
     */
    public static Command<Long> removeRanks(String key, long first, long last) {
        return Command.of(ZREMRANGEBYRANK, key, first, last);
    }

    /** Same command as {@link #removeRanks(String, long, long)}, with a binary key. */
    public static Command<Long> removeRanks(byte[] key, long first, long last) {
        return Command.of(ZREMRANGEBYRANK, key, first, last);
    }

    /** Removes the members of {@code key} whose scores are in {@code scores}. */
    public static Command<Long> removeScores(String key, ScoreRange scores) {
        return Command.of(ZREMRANGEBYSCORE, key, scores.lowerEnd(), scores.upperEnd());
    }

    /** Same command as {@link #removeScores(String, ScoreRange)}, with a binary key. */
    public static Command<Long> removeScores(byte[] key, ScoreRange scores) {
        return Command.of(ZREMRANGEBYSCORE, key, scores.lowerEnd(), scores.upperEnd());
    }

    /** Removes the members of {@code key} in {@code members}. All members must have the same score. */
    public static Command<Long> removeMembers(String key, MemberRange members) {
        return Command.of(ZREMRANGEBYLEX, key, members.lowerEnd(), members.upperEnd());
    }

    /** Same command as {@link #removeMembers(String, MemberRange)}, with a binary key. */
    public static Command<Long> removeMembers(byte[] key, MemberRange members) {
        return Command.of(ZREMRANGEBYLEX, key, members.lowerEnd(), members.upperEnd());
    }

    /** Counts the members of {@code key} in {@code members}. All members must have the same score. */
    public static Command<Long> countMembers(String key, MemberRange members) {
        return Command.of(ZLEXCOUNT, key, members.lowerEnd(), members.upperEnd());
    }

    /** Same command as {@link #countMembers(String, MemberRange)}, with a binary key. */
    public static Command<Long> countMembers(byte[] key, MemberRange members) {
        return Command.of(ZLEXCOUNT, key, members.lowerEnd(), members.upperEnd());
    }
}
