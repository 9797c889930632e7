// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import java.util.List;
import java.util.Map;

/**
 * Commands that combine several sorted sets: union, intersection and difference. Redis 6.2 or later.
 */
public final class SortedSetCombinations {

    /** {@code ZUNION numkeys key … WITHSCORES}: returns the members of the union, the lowest score first. */
    public static final CommandSpec<List<ScoredMember<String>>> ZUNION =
            CommandSpec.of("ZUNION", Replies.scored(Decoders.TEXT)).idempotently();

    /** {@code ZUNIONSTORE destination numkeys key … [options]}: returns the size of the union. */
    public static final CommandSpec<Long> ZUNIONSTORE = CommandSpec.of("ZUNIONSTORE", Decoders.INTEGER);

    /** {@code ZINTER numkeys key … WITHSCORES}: returns the members of the intersection, the lowest score first. */
    public static final CommandSpec<List<ScoredMember<String>>> ZINTER =
            CommandSpec.of("ZINTER", Replies.scored(Decoders.TEXT)).idempotently();

    /** {@code ZINTERSTORE destination numkeys key … [options]}: returns the size of the intersection. */
    public static final CommandSpec<Long> ZINTERSTORE = CommandSpec.of("ZINTERSTORE", Decoders.INTEGER);

    /** {@code ZDIFF numkeys key … WITHSCORES}: returns the members of the difference, the lowest score first. */
    public static final CommandSpec<List<ScoredMember<String>>> ZDIFF =
            CommandSpec.of("ZDIFF", Replies.scored(Decoders.TEXT)).idempotently();

    /** {@code ZDIFFSTORE destination numkeys key … [options]}: returns the size of the difference. */
    public static final CommandSpec<Long> ZDIFFSTORE = CommandSpec.of("ZDIFFSTORE", Decoders.INTEGER);

    /** {@code ZINTERCARD numkeys key … [options]}: returns the size of the intersection. */
    public static final CommandSpec<Long> ZINTERCARD =
            CommandSpec.of("ZINTERCARD", Decoders.INTEGER).idempotently();

    private SortedSetCombinations() {}

    /**
     * Reads the members of all {@code keys}. The score of a member is the sum of its scores. Requires at least one
     * key.
     */
    public static Command<List<ScoredMember<String>>> union(String... keys) {
        return Arguments.of(keys.length).addEach("keys", keys).add("WITHSCORES").to(ZUNION);
    }

    /** Same command as {@link #union(String...)}, with binary keys and members. */
    public static Command<List<ScoredMember<byte[]>>> union(byte[]... keys) {
        return Arguments.of(keys.length)
                .addEach("keys", keys)
                .add("WITHSCORES")
                .to(ZUNION)
                .as(Replies.scored(Replies::bytes));
    }

    /** Stores the {@linkplain #union union} of {@code keys} in {@code destination}. Overwrites an existing key. */
    public static Command<Long> storeUnion(String destination, String... keys) {
        return Arguments.of(destination, keys.length).addEach("keys", keys).to(ZUNIONSTORE);
    }

    /** Same command as {@link #storeUnion(String, String...)}, with binary keys. */
    public static Command<Long> storeUnion(byte[] destination, byte[]... keys) {
        return Arguments.of(destination, keys.length).addEach("keys", keys).to(ZUNIONSTORE);
    }

    /**
     * Stores the {@linkplain #union union} of the keys of {@code weights} in {@code destination}. Each score is
     * multiplied by the weight of its key before {@code aggregate}. Requires at least one key.
     */
    public static Command<Long> storeUnion(String destination, Aggregate aggregate, Map<String, Double> weights) {
        return weighted(destination, aggregate, weights).to(ZUNIONSTORE);
    }

    /** Same command as {@link #storeUnion(String, Aggregate, Map)}, with binary keys. */
    public static Command<Long> storeUnion(byte[] destination, Aggregate aggregate, Map<byte[], Double> weights) {
        return weighted(destination, aggregate, weights).to(ZUNIONSTORE);
    }

    /**
     * Reads the members that are in each of {@code keys}. The score of a member is the sum of its scores. Requires at
     * least one key.
     */
    public static Command<List<ScoredMember<String>>> intersection(String... keys) {
        return Arguments.of(keys.length).addEach("keys", keys).add("WITHSCORES").to(ZINTER);
    }

    /** Same command as {@link #intersection(String...)}, with binary keys and members. */
    public static Command<List<ScoredMember<byte[]>>> intersection(byte[]... keys) {
        return Arguments.of(keys.length)
                .addEach("keys", keys)
                .add("WITHSCORES")
                .to(ZINTER)
                .as(Replies.scored(Replies::bytes));
    }

    /**
     * Stores the {@linkplain #intersection intersection} of {@code keys} in {@code destination}. Overwrites an
     * existing key.
     */
    public static Command<Long> storeIntersection(String destination, String... keys) {
        return Arguments.of(destination, keys.length).addEach("keys", keys).to(ZINTERSTORE);
    }

    /** Same command as {@link #storeIntersection(String, String...)}, with binary keys. */
    public static Command<Long> storeIntersection(byte[] destination, byte[]... keys) {
        return Arguments.of(destination, keys.length).addEach("keys", keys).to(ZINTERSTORE);
    }

    /**
     * Stores the {@linkplain #intersection intersection} of the keys of {@code weights} in {@code destination}. Each
     * score is multiplied by the weight of its key before {@code aggregate}. Requires at least one key.
     */
    public static Command<Long> storeIntersection(
            String destination, Aggregate aggregate, Map<String, Double> weights) {
        return weighted(destination, aggregate, weights).to(ZINTERSTORE);
    }

    /** Same command as {@link #storeIntersection(String, Aggregate, Map)}, with binary keys. */
    public static Command<Long> storeIntersection(
            byte[] destination, Aggregate aggregate, Map<byte[], Double> weights) {
        return weighted(destination, aggregate, weights).to(ZINTERSTORE);
    }

    /**
     * Reads the members of the first key that are in none of the other keys, with their scores in the first key.
     * Requires at least one key.
     */
    public static Command<List<ScoredMember<String>>> difference(String... keys) {
        return Arguments.of(keys.length).addEach("keys", keys).add("WITHSCORES").to(ZDIFF);
    }

    /** Same command as {@link #difference(String...)}, with binary keys and members. */
    public static Command<List<ScoredMember<byte[]>>> difference(byte[]... keys) {
        return Arguments.of(keys.length)
                .addEach("keys", keys)
                .add("WITHSCORES")
                .to(ZDIFF)
                .as(Replies.scored(Replies::bytes));
    }

    /**
     * Stores the {@linkplain #difference difference} of {@code keys} in {@code destination}. Overwrites an existing
     * key.
     */
    public static Command<Long> storeDifference(String destination, String... keys) {
        return Arguments.of(destination, keys.length).addEach("keys", keys).to(ZDIFFSTORE);
    }

    /** Same command as {@link #storeDifference(String, String...)}, with binary keys. */
    public static Command<Long> storeDifference(byte[] destination, byte[]... keys) {
        return Arguments.of(destination, keys.length).addEach("keys", keys).to(ZDIFFSTORE);
    }

    /** Counts the members of the intersection of {@code keys}. Requires at least one key. Redis 7.0 or later. */
    public static Command<Long> intersectionSize(String... keys) {
        return Arguments.of(keys.length).addEach("keys", keys).to(ZINTERCARD);
    }

    /** Same command as {@link #intersectionSize(String...)}, with binary keys. */
    public static Command<Long> intersectionSize(byte[]... keys) {
        return Arguments.of(keys.length).addEach("keys", keys).to(ZINTERCARD);
    }

    private static Arguments weighted(Object destination, Aggregate aggregate, Map<?, Double> weights) {
        Arguments.notEmpty("weights", weights.size());
        Arguments arguments = Arguments.of(destination, weights.size());
        weights.keySet().forEach(arguments::add);
        arguments.add("WEIGHTS");
        weights.values().forEach(weight -> arguments.add(Arguments.real("weight", weight)));
        return arguments.add("AGGREGATE").add(aggregate.name());
    }
}
