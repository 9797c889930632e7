// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Commands on sorted-set keys. Factories with {@code byte[]} parameters are binary-safe: they send and return raw
 * bytes. Scores may be infinite, but not NaN.
 */
public final class SortedSets {

    /** Condition under which {@code ZADD} sets the score of a member. */
    public enum ScoreCondition {
        /** The member must not exist: {@code NX}. */
        IF_ABSENT,
        /** The member must exist: {@code XX}. */
        IF_PRESENT,
        /** The member does not exist, or its score is lower than the new score: {@code GT}. */
        IF_GREATER,
        /** The member does not exist, or its score is higher than the new score: {@code LT}. */
        IF_LESS
    }

    /**
     * {@code ZADD key [options] score member …}: returns the number of new members, or, with {@code CH}, the number of
     * new and changed members.
     */
    public static final CommandSpec<Long> ZADD = CommandSpec.of("ZADD", Decoders.INTEGER);

    /** {@code ZREM key member …}: returns the number of removed members. */
    public static final CommandSpec<Long> ZREM = CommandSpec.of("ZREM", Decoders.INTEGER);

    /** {@code ZSCORE key member}: returns the score. */
    public static final CommandSpec<Optional<Double>> ZSCORE =
            CommandSpec.of("ZSCORE", Replies.optional(Decoders.REAL)).idempotently();

    /** {@code ZRANK key member}: returns the rank, counted from 0. */
    public static final CommandSpec<Optional<Long>> ZRANK =
            CommandSpec.of("ZRANK", Replies.optional(Decoders.INTEGER)).idempotently();

    /** {@code ZRANGE key first last [options]}: returns the members. */
    public static final CommandSpec<List<String>> ZRANGE =
            CommandSpec.of("ZRANGE", Replies.list(Decoders.TEXT)).idempotently();

    /** {@code ZINCRBY key by member}: returns the sum. */
    public static final CommandSpec<Double> ZINCRBY = CommandSpec.of("ZINCRBY", Decoders.REAL);

    /** {@code ZCARD key}: returns the number of members. */
    public static final CommandSpec<Long> ZCARD =
            CommandSpec.of("ZCARD", Decoders.INTEGER).idempotently();

    /** {@code ZCOUNT key min max}: returns the number of members in this range of scores. */
    public static final CommandSpec<Long> ZCOUNT =
            CommandSpec.of("ZCOUNT", Decoders.INTEGER).idempotently();

    /** {@code ZPOPMIN key [count]}: returns the removed members, the lowest score first. */
    public static final CommandSpec<List<ScoredMember<String>>> ZPOPMIN =
            CommandSpec.of("ZPOPMIN", Replies.scored(Decoders.TEXT));

    /**
     * {@code BZPOPMIN key … seconds}: returns the member with the lowest score of the first non-empty key, empty after
     * the timeout.
     */
    public static final CommandSpec<Optional<PopResult<String, ScoredMember<String>>>> BZPOPMIN =
            CommandSpec.of("BZPOPMIN", PopResult.scoredDecoder(Decoders.TEXT));

    /** {@code ZSCAN key cursor [options]}: returns a page of members with their scores. */
    public static final CommandSpec<ScanPage<List<ScoredMember<String>>>> ZSCAN =
            CommandSpec.of("ZSCAN", Replies.page(Replies.scored(Decoders.TEXT))).idempotently();

    /** {@code ZMSCORE key member …}: returns the score of each member, in order. */
    public static final CommandSpec<List<Optional<Double>>> ZMSCORE = CommandSpec.of(
                    "ZMSCORE", Replies.list(Replies.optional(Decoders.REAL)))
            .idempotently();

    /** {@code ZREVRANK key member}: returns the rank by descending score, counted from 0. */
    public static final CommandSpec<Optional<Long>> ZREVRANK =
            CommandSpec.of("ZREVRANK", Replies.optional(Decoders.INTEGER)).idempotently();

    /** {@code ZPOPMAX key [count]}: returns the removed members, the highest score first. */
    public static final CommandSpec<List<ScoredMember<String>>> ZPOPMAX =
            CommandSpec.of("ZPOPMAX", Replies.scored(Decoders.TEXT));

    /** {@code BZPOPMAX key … seconds}: as {@code BZPOPMIN}, with the highest score. */
    public static final CommandSpec<Optional<PopResult<String, ScoredMember<String>>>> BZPOPMAX =
            CommandSpec.of("BZPOPMAX", PopResult.scoredDecoder(Decoders.TEXT));

    /** {@code ZRANDMEMBER key}: returns a random member, empty if the key does not exist. */
    public static final CommandSpec<Optional<String>> ZRANDMEMBER =
            CommandSpec.of("ZRANDMEMBER", Decoders.OPTIONAL_TEXT).idempotently();

    private SortedSets() {}

    /** Sets the score of {@code member} in {@code key}. Adds the member if it does not exist. */
    public static Command<Long> add(String key, double score, String member) {
        return Command.of(ZADD, key, Arguments.real("score", score), member);
    }

    /** Same command as {@link #add(String, double, String)}, with a binary key and member. */
    public static Command<Long> add(byte[] key, double score, byte[] member) {
        return Command.of(ZADD, key, Arguments.real("score", score), member);
    }

    /** Sets the scores of one or more members in {@code key}. Adds members that do not exist. */
    public static Command<Long> add(String key, Map<String, Double> scores) {
        return addScores(Arguments.of(key), scores);
    }

    /** Same command as {@link #add(String, Map)}, with a binary key and binary members. */
    public static Command<Long> add(byte[] key, Map<byte[], Double> scores) {
        return addScores(Arguments.of(key), scores);
    }

    /**
     * Sets the score of each member in {@code scores}, if the member meets {@code condition}. All other members are not
     * changed. Returns the number of new and changed members.
     */
    public static Command<Long> add(String key, ScoreCondition condition, Map<String, Double> scores) {
        return addScores(Arguments.of(key, option(condition), "CH"), scores);
    }

    /** Same command as {@link #add(String, ScoreCondition, Map)}, with a binary key and binary members. */
    public static Command<Long> add(byte[] key, ScoreCondition condition, Map<byte[], Double> scores) {
        return addScores(Arguments.of(key, option(condition), "CH"), scores);
    }

    /** Removes {@code members} from {@code key}. Requires at least one member. */
    public static Command<Long> remove(String key, String... members) {
        return Arguments.of(key).addEach("members", members).to(ZREM);
    }

    /** Same command as {@link #remove(String, String...)}, with a binary key and binary members. */
    public static Command<Long> remove(byte[] key, byte[]... members) {
        return Arguments.of(key).addEach("members", members).to(ZREM);
    }

    /** Reads the score of {@code member} in {@code key}, empty if the member does not exist. */
    public static Command<Optional<Double>> score(String key, String member) {
        return Command.of(ZSCORE, key, member);
    }

    /** Same command as {@link #score(String, String)}, with a binary key and member. */
    public static Command<Optional<Double>> score(byte[] key, byte[] member) {
        return Command.of(ZSCORE, key, member);
    }

    /** Reads the rank of {@code member} in {@code key}, counted from 0; empty if the member does not exist. */
    public static Command<Optional<Long>> rank(String key, String member) {
        return Command.of(ZRANK, key, member);
    }

    /** Same command as {@link #rank(String, String)}, with a binary key and member. */
    public static Command<Optional<Long>> rank(byte[] key, byte[] member) {
        return Command.of(ZRANK, key, member);
    }

    /** Reads the members of {@code key} in {@code range}. */
    public static Command<List<String>> range(String key, SortedRange range) {
        return range.addTo(Arguments.of(key)).to(ZRANGE);
    }

    /** Same command as {@link #range(String, SortedRange)}, with a binary key and binary members. */
    public static Command<List<byte[]>> range(byte[] key, SortedRange range) {
        return range.addTo(Arguments.of(key)).to(ZRANGE).as(Replies.list(Replies::bytes));
    }

    /**
     * Reads the members of {@code key} in {@code range}, with their scores.
     *
     * @throws IllegalArgumentException if {@code range} is a range of members: all their scores are equal
     */
    public static Command<List<ScoredMember<String>>> rangeWithScores(String key, SortedRange range) {
        return range.requireScores()
                .addTo(Arguments.of(key))
                .add("WITHSCORES")
                .to(ZRANGE)
                .as(Replies.scored(Decoders.TEXT));
    }

    /** Same command as {@link #rangeWithScores(String, SortedRange)}, with a binary key and binary members. */
    public static Command<List<ScoredMember<byte[]>>> rangeWithScores(byte[] key, SortedRange range) {
        return range.requireScores()
                .addTo(Arguments.of(key))
                .add("WITHSCORES")
                .to(ZRANGE)
                .as(Replies.scored(Replies::bytes));
    }

    /** Adds {@code by} to the score of {@code member} in {@code key}. The score of a missing member counts as 0. */
    public static Command<Double> increment(String key, double by, String member) {
        return Command.of(ZINCRBY, key, Arguments.real("by", by), member);
    }

    /** Same command as {@link #increment(String, double, String)}, with a binary key and member. */
    public static Command<Double> increment(byte[] key, double by, byte[] member) {
        return Command.of(ZINCRBY, key, Arguments.real("by", by), member);
    }

    /** Counts the members of {@code key}, 0 if the key does not exist. */
    public static Command<Long> size(String key) {
        return Command.of(ZCARD, key);
    }

    /** Same command as {@link #size(String)}, with a binary key. */
    public static Command<Long> size(byte[] key) {
        return Command.of(ZCARD, key);
    }

    /** Counts the members of {@code key} whose scores are in {@code scores}. */
    public static Command<Long> count(String key, ScoreRange scores) {
        return Command.of(ZCOUNT, key, scores.lowerEnd(), scores.upperEnd());
    }

    /** Same command as {@link #count(String, ScoreRange)}, with a binary key. */
    public static Command<Long> count(byte[] key, ScoreRange scores) {
        return Command.of(ZCOUNT, key, scores.lowerEnd(), scores.upperEnd());
    }

    /**
     * Removes and returns the {@code count} members of {@code key} with the lowest scores.
     *
     * @param count 1 or more
     */
    public static Command<List<ScoredMember<String>>> popMin(String key, long count) {
        return Command.of(ZPOPMIN, key, Arguments.count("count", count));
    }

    /** Same command as {@link #popMin(String, long)}, with a binary key and binary members. */
    public static Command<List<ScoredMember<byte[]>>> popMin(byte[] key, long count) {
        return Command.of(ZPOPMIN, key, Arguments.count("count", count)).as(Replies.scored(Replies::bytes));
    }

    /**
     * Removes and returns the member with the lowest score from the first non-empty key of {@code keys}. Blocks if all
     * keys are empty, at most for {@code wait}. Runs on a dedicated connection.
     *
     * @param wait 1 ms to 1 day
     */
    public static Command<Optional<PopResult<String, ScoredMember<String>>>> awaitMin(Duration wait, String... keys) {
        return awaited(BZPOPMIN, wait, keys);
    }

    /** Same command as {@link #awaitMin(Duration, String...)}, with binary keys and members. */
    public static Command<Optional<PopResult<byte[], ScoredMember<byte[]>>>> awaitMin(Duration wait, byte[]... keys) {
        return awaited(BZPOPMIN, wait, keys).as(PopResult.scoredDecoder(Replies::bytes));
    }

    /**
     * Reads one page of the members of {@code key}, with their scores.
     *
     * @param cursor {@link ScanPage#START} for the first page, then the cursor of the previous page
     */
    public static Command<ScanPage<List<ScoredMember<String>>>> scan(String key, String cursor, ScanOptions options) {
        return options.addTo(Arguments.of(key), cursor).to(ZSCAN);
    }

    /** Same command as {@link #scan(String, String, ScanOptions)}, with a binary key and binary members. */
    public static Command<ScanPage<List<ScoredMember<byte[]>>>> scan(byte[] key, String cursor, ScanOptions options) {
        return options.addTo(Arguments.of(key), cursor).to(ZSCAN).as(Replies.page(Replies.scored(Replies::bytes)));
    }

    /**
     * Adds {@code by} to the score of {@code member} in {@code key}, if the member meets {@code condition} for the sum.
     * Returns the sum, empty if the condition does not hold.
     */
    public static Command<Optional<Double>> incrementIf(
            String key, ScoreCondition condition, double by, String member) {
        return Command.of(ZADD, key, option(condition), "INCR", Arguments.real("by", by), member)
                .as(Replies.optional(Decoders.REAL));
    }

    /** Same command as {@link #incrementIf(String, ScoreCondition, double, String)}, with a binary key and member. */
    public static Command<Optional<Double>> incrementIf(
            byte[] key, ScoreCondition condition, double by, byte[] member) {
        return Command.of(ZADD, key, option(condition), "INCR", Arguments.real("by", by), member)
                .as(Replies.optional(Decoders.REAL));
    }

    /**
     * Reads the scores of {@code members} in {@code key}. The score of a missing member is empty. Requires at least
     * one member.
     */
    public static Command<List<Optional<Double>>> scores(String key, String... members) {
        return Arguments.of(key).addEach("members", members).to(ZMSCORE);
    }

    /** Same command as {@link #scores(String, String...)}, with a binary key and binary members. */
    public static Command<List<Optional<Double>>> scores(byte[] key, byte[]... members) {
        return Arguments.of(key).addEach("members", members).to(ZMSCORE);
    }

    /** Reads the rank of {@code member} by descending score, counted from 0; empty if the member does not exist. */
    public static Command<Optional<Long>> reverseRank(String key, String member) {
        return Command.of(ZREVRANK, key, member);
    }

    /** Same command as {@link #reverseRank(String, String)}, with a binary key and member. */
    public static Command<Optional<Long>> reverseRank(byte[] key, byte[] member) {
        return Command.of(ZREVRANK, key, member);
    }

    /**
     * Removes and returns the {@code count} members of {@code key} with the highest scores.
     *
     * @param count 1 or more
     */
    public static Command<List<ScoredMember<String>>> popMax(String key, long count) {
        return Command.of(ZPOPMAX, key, Arguments.count("count", count));
    }

    /** Same command as {@link #popMax(String, long)}, with a binary key and binary members. */
    public static Command<List<ScoredMember<byte[]>>> popMax(byte[] key, long count) {
        return Command.of(ZPOPMAX, key, Arguments.count("count", count)).as(Replies.scored(Replies::bytes));
    }

    /** Removes a member as {@link #awaitMin(Duration, String...)} does, but the member with the highest score. */
    public static Command<Optional<PopResult<String, ScoredMember<String>>>> awaitMax(Duration wait, String... keys) {
        return awaited(BZPOPMAX, wait, keys);
    }

    /** Same command as {@link #awaitMax(Duration, String...)}, with binary keys and members. */
    public static Command<Optional<PopResult<byte[], ScoredMember<byte[]>>>> awaitMax(Duration wait, byte[]... keys) {
        return awaited(BZPOPMAX, wait, keys).as(PopResult.scoredDecoder(Replies::bytes));
    }

    /** Reads a random member of {@code key}. */
    public static Command<Optional<String>> random(String key) {
        return Command.of(ZRANDMEMBER, key);
    }

    /** Same command as {@link #random(String)}, with a binary key and member. */
    public static Command<Optional<byte[]>> random(byte[] key) {
        return Command.of(ZRANDMEMBER, key).as(Replies::optionalBytes);
    }

    /**
     * Reads up to {@code count} random members of {@code key} with their scores. No member is returned twice.
     *
     * @param count 1 or more
     */
    public static Command<List<ScoredMember<String>>> random(String key, long count) {
        return Command.of(ZRANDMEMBER, key, Arguments.count("count", count), "WITHSCORES")
                .as(Replies.scored(Decoders.TEXT));
    }

    /** Same command as {@link #random(String, long)}, with a binary key and binary members. */
    public static Command<List<ScoredMember<byte[]>>> random(byte[] key, long count) {
        return Command.of(ZRANDMEMBER, key, Arguments.count("count", count), "WITHSCORES")
                .as(Replies.scored(Replies::bytes));
    }

    private static <T> Command<T> awaited(CommandSpec<T> spec, Duration wait, Object[] keys) {
        return Arguments.of()
                .addEach("keys", keys)
                .add(Arguments.waitSeconds(wait))
                .to(spec)
                .blockingFor(wait);
    }

    private static Command<Long> addScores(Arguments arguments, Map<?, Double> scores) {
        Arguments.notEmpty("scores", scores.size());
        scores.forEach(
                (member, score) -> arguments.add(Arguments.real("score", score)).add(member));
        return arguments.to(ZADD);
    }

    private static String option(ScoreCondition condition) {
        return switch (condition) {
            case IF_ABSENT -> "NX";
            case IF_PRESENT -> "XX";
            case IF_GREATER -> "GT";
            case IF_LESS -> "LT";
        };
    }
}
