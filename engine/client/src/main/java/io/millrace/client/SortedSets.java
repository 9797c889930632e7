// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Commands on sorted-set keys. A factory that is given {@code byte[]} sends, and answers, any bytes as they are. Scores may
 * be infinite, but not NaN.
 */
public final class SortedSets {

    /** When {@code ZADD} sets the score of a member. */
    public enum Condition {
        /** Only if it is not there: {@code NX}. */
        IF_ABSENT,
        /** Only if it is there: {@code XX}. */
        IF_PRESENT,
        /** If it is not there, or there with a lower score: {@code GT}. */
        IF_GREATER,
        /** If it is not there, or there with a higher score: {@code LT}. */
        IF_LESS
    }

    /** {@code ZADD key [options] score member …}: how many are new; with {@code CH} how many are new or changed. */
    public static final CommandSpec<Long> ZADD = CommandSpec.of("ZADD", Replies::integer);

    /** {@code ZREM key member …}: how many were there. */
    public static final CommandSpec<Long> ZREM = CommandSpec.of("ZREM", Replies::integer);

    /** {@code ZSCORE key member}: its score. */
    public static final CommandSpec<Optional<Double>> ZSCORE =
            CommandSpec.of("ZSCORE", Replies.optional(Replies::real)).idempotently();

    /** {@code ZRANK key member}: its rank, counted from 0. */
    public static final CommandSpec<Optional<Long>> ZRANK =
            CommandSpec.of("ZRANK", Replies.optional(Replies::integer)).idempotently();

    /** {@code ZRANGE key first last [options]}: the members. */
    public static final CommandSpec<List<String>> ZRANGE =
            CommandSpec.of("ZRANGE", Replies.list(Replies::text)).idempotently();

    /** {@code ZINCRBY key by member}: the sum. */
    public static final CommandSpec<Double> ZINCRBY = CommandSpec.of("ZINCRBY", Replies::real);

    /** {@code ZCARD key}: how many members there are. */
    public static final CommandSpec<Long> ZCARD =
            CommandSpec.of("ZCARD", Replies::integer).idempotently();

    /** {@code ZCOUNT key min max}: how many members have such scores. */
    public static final CommandSpec<Long> ZCOUNT =
            CommandSpec.of("ZCOUNT", Replies::integer).idempotently();

    /** {@code ZPOPMIN key [count]}: the members that were taken, the lowest score first. */
    public static final CommandSpec<List<ScoredMember<String>>> ZPOPMIN =
            CommandSpec.of("ZPOPMIN", Replies.scored(Replies::text));

    /** {@code BZPOPMIN key … seconds}: the lowest member of the first key that has one; empty if time was up. */
    public static final CommandSpec<Optional<Popped<String, ScoredMember<String>>>> BZPOPMIN =
            CommandSpec.of("BZPOPMIN", Popped.scoredDecoder(Replies::text));

    /** {@code ZSCAN key cursor [options]}: a page of members with their scores. */
    public static final CommandSpec<ScanPage<List<ScoredMember<String>>>> ZSCAN =
            CommandSpec.of("ZSCAN", Replies.page(Replies.scored(Replies::text))).idempotently();

    private SortedSets() {}

    /** Gives {@code member} of {@code key} that score, whatever it had. */
    public static Command<Long> add(String key, double score, String member) {
        return Command.of(ZADD, key, Arguments.real("score", score), member);
    }

    /** The same for a key and a member of any bytes. */
    public static Command<Long> add(byte[] key, double score, byte[] member) {
        return Command.of(ZADD, key, Arguments.real("score", score), member);
    }

    /** Gives the members of {@code key} their scores, at least one, whatever they had. */
    public static Command<Long> add(String key, Map<String, Double> scores) {
        return addScores(Arguments.of(key), scores);
    }

    /** The same for a key and members of any bytes. */
    public static Command<Long> add(byte[] key, Map<byte[], Double> scores) {
        return addScores(Arguments.of(key), scores);
    }

    /** Gives the members of {@code key} their scores where {@code condition} holds: how many are new or changed. */
    public static Command<Long> add(String key, Condition condition, Map<String, Double> scores) {
        return addScores(Arguments.of(key, option(condition), "CH"), scores);
    }

    /** The same for a key and members of any bytes. */
    public static Command<Long> add(byte[] key, Condition condition, Map<byte[], Double> scores) {
        return addScores(Arguments.of(key, option(condition), "CH"), scores);
    }

    /** Removes {@code members}, at least one, from {@code key}. */
    public static Command<Long> remove(String key, String... members) {
        return Arguments.of(key).addEach("members", members).to(ZREM);
    }

    /** The same for a key and members of any bytes. */
    public static Command<Long> remove(byte[] key, byte[]... members) {
        return Arguments.of(key).addEach("members", members).to(ZREM);
    }

    /** Reads the score of {@code member} of {@code key}; empty if it is not there. */
    public static Command<Optional<Double>> score(String key, String member) {
        return Command.of(ZSCORE, key, member);
    }

    /** The same for a key and a member of any bytes. */
    public static Command<Optional<Double>> score(byte[] key, byte[] member) {
        return Command.of(ZSCORE, key, member);
    }

    /** How many members of {@code key} come before {@code member}; empty if it is not there. */
    public static Command<Optional<Long>> rank(String key, String member) {
        return Command.of(ZRANK, key, member);
    }

    /** The same for a key and a member of any bytes. */
    public static Command<Optional<Long>> rank(byte[] key, byte[] member) {
        return Command.of(ZRANK, key, member);
    }

    /** Reads the members of {@code key} that are in {@code range}. */
    public static Command<List<String>> range(String key, SortedRange range) {
        return range.addTo(Arguments.of(key)).to(ZRANGE);
    }

    /** The same for a key and members of any bytes. */
    public static Command<List<byte[]>> range(byte[] key, SortedRange range) {
        return range.addTo(Arguments.of(key)).to(ZRANGE).as(Replies.list(Replies::bytes));
    }

    /** Reads the members of {@code key} that are in {@code range}, with their scores. */
    public static Command<List<ScoredMember<String>>> rangeWithScores(String key, SortedRange range) {
        return range.addTo(Arguments.of(key)).add("WITHSCORES").to(ZRANGE).as(Replies.scored(Replies::text));
    }

    /** The same for a key and members of any bytes. */
    public static Command<List<ScoredMember<byte[]>>> rangeWithScores(byte[] key, SortedRange range) {
        return range.addTo(Arguments.of(key)).add("WITHSCORES").to(ZRANGE).as(Replies.scored(Replies::bytes));
    }

    /** Adds {@code by} to the score of {@code member} of {@code key}, which is 0 if it is not there. */
    public static Command<Double> increment(String key, double by, String member) {
        return Command.of(ZINCRBY, key, Arguments.real("by", by), member);
    }

    /** The same for a key and a member of any bytes. */
    public static Command<Double> increment(byte[] key, double by, byte[] member) {
        return Command.of(ZINCRBY, key, Arguments.real("by", by), member);
    }

    /** How many members {@code key} has; 0 if it is not there. */
    public static Command<Long> size(String key) {
        return Command.of(ZCARD, key);
    }

    /** The same for a key of any bytes. */
    public static Command<Long> size(byte[] key) {
        return Command.of(ZCARD, key);
    }

    /** How many members of {@code key} have a score in {@code scores}. */
    public static Command<Long> count(String key, ScoreRange scores) {
        return Command.of(ZCOUNT, key, scores.lowerEnd(), scores.upperEnd());
    }

    /** The same for a key of any bytes. */
    public static Command<Long> count(byte[] key, ScoreRange scores) {
        return Command.of(ZCOUNT, key, scores.lowerEnd(), scores.upperEnd());
    }

    /** Takes the {@code count} members of {@code key}, 1 or more, that have the lowest scores. */
    public static Command<List<ScoredMember<String>>> popMin(String key, long count) {
        return Command.of(ZPOPMIN, key, Arguments.count("count", count));
    }

    /** The same for a key and members of any bytes. */
    public static Command<List<ScoredMember<byte[]>>> popMin(byte[] key, long count) {
        return Command.of(ZPOPMIN, key, Arguments.count("count", count)).as(Replies.scored(Replies::bytes));
    }

    /**
     * Takes the member with the lowest score from the first of {@code keys} that has any; waits for one if none has.
     *
     * @param wait 1 ms to 1 day, for which it has a connection to itself
     */
    public static Command<Optional<Popped<String, ScoredMember<String>>>> awaitMin(Duration wait, String... keys) {
        return awaited(wait, keys);
    }

    /** The same for keys and members of any bytes. */
    public static Command<Optional<Popped<byte[], ScoredMember<byte[]>>>> awaitMin(Duration wait, byte[]... keys) {
        return awaited(wait, keys).as(Popped.scoredDecoder(Replies::bytes));
    }

    /**
     * Reads the members of {@code key}, a page at a time.
     *
     * @param cursor {@link ScanPage#START}, then that of the page before
     */
    public static Command<ScanPage<List<ScoredMember<String>>>> scan(String key, String cursor, ScanOptions options) {
        return options.addTo(Arguments.of(key), cursor).to(ZSCAN);
    }

    /** The same for a key and members of any bytes. */
    public static Command<ScanPage<List<ScoredMember<byte[]>>>> scan(byte[] key, String cursor, ScanOptions options) {
        return options.addTo(Arguments.of(key), cursor).to(ZSCAN).as(Replies.page(Replies.scored(Replies::bytes)));
    }

    private static Command<Optional<Popped<String, ScoredMember<String>>>> awaited(Duration wait, Object[] keys) {
        return Arguments.of()
                .addEach("keys", keys)
                .add(Arguments.waitSeconds(wait))
                .to(BZPOPMIN)
                .blockingFor(wait);
    }

    private static Command<Long> addScores(Arguments arguments, Map<?, Double> scores) {
        Arguments.notEmpty("scores", scores.size());
        scores.forEach(
                (member, score) -> arguments.add(Arguments.real("score", score)).add(member));
        return arguments.to(ZADD);
    }

    private static String option(Condition condition) {
        return switch (condition) {
            case IF_ABSENT -> "NX";
            case IF_PRESENT -> "XX";
            case IF_GREATER -> "GT";
            case IF_LESS -> "LT";
        };
    }
}
