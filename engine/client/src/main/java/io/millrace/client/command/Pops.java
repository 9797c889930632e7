// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Commands that remove elements from the first non-empty key of several keys. Redis 7.0 or later. Blocking commands
 * ({@code await…}) wait for an element and run on a dedicated connection. The maximum wait is an argument, 1 ms to 1 day.
 */
public final class Pops {

    /** {@code LMPOP numkeys key … end [options]}: returns elements of the first non-empty list. */
    public static final CommandSpec<Optional<PopResult<String, List<String>>>> LMPOP =
            CommandSpec.of("LMPOP", PopResult.decoder(Decoders.TEXT, Replies.list(Decoders.TEXT)));

    /**
     * {@code BLMPOP seconds numkeys key … end [options]}: returns elements of the first non-empty list, empty after
     * the timeout.
     */
    public static final CommandSpec<Optional<PopResult<String, List<String>>>> BLMPOP =
            CommandSpec.of("BLMPOP", PopResult.decoder(Decoders.TEXT, Replies.list(Decoders.TEXT)));

    /** {@code ZMPOP numkeys key … end [options]}: returns members of the first non-empty sorted set. */
    public static final CommandSpec<Optional<PopResult<String, List<ScoredMember<String>>>>> ZMPOP =
            CommandSpec.of("ZMPOP", PopResult.decoder(Decoders.TEXT, Replies.scored(Decoders.TEXT)));

    /**
     * {@code BZMPOP seconds numkeys key … end [options]}: returns members of the first non-empty sorted set, empty
     * after the timeout.
     */
    public static final CommandSpec<Optional<PopResult<String, List<ScoredMember<String>>>>> BZMPOP =
            CommandSpec.of("BZMPOP", PopResult.decoder(Decoders.TEXT, Replies.scored(Decoders.TEXT)));

    private Pops() {}

    /**
     * Removes and returns up to {@code count} elements from the end {@code from} of the first non-empty list of
     * {@code keys}. Requires at least one key.
     *
     * @param count 1 or more
     */
    public static Command<Optional<PopResult<String, List<String>>>> lists(ListEnd from, long count, String... keys) {
        return popped(Arguments.of(), from.name(), count, keys).to(LMPOP);
    }

    /** Same command as {@link #lists(ListEnd, long, String...)}, with binary keys and elements. */
    public static Command<Optional<PopResult<byte[], List<byte[]>>>> lists(ListEnd from, long count, byte[]... keys) {
        return popped(Arguments.of(), from.name(), count, keys)
                .to(LMPOP)
                .as(PopResult.decoder(Replies::bytes, Replies.list(Replies::bytes)));
    }

    /**
     * Removes elements as {@link #lists(ListEnd, long, String...)} does. Blocks if all lists are empty, at most for
     * {@code wait}.
     */
    public static Command<Optional<PopResult<String, List<String>>>> awaitLists(
            Duration wait, ListEnd from, long count, String... keys) {
        return popped(Arguments.of(Arguments.waitSeconds(wait)), from.name(), count, keys)
                .to(BLMPOP)
                .blockingFor(wait);
    }

    /** Same command as {@link #awaitLists(Duration, ListEnd, long, String...)}, with binary keys and elements. */
    public static Command<Optional<PopResult<byte[], List<byte[]>>>> awaitLists(
            Duration wait, ListEnd from, long count, byte[]... keys) {
        return popped(Arguments.of(Arguments.waitSeconds(wait)), from.name(), count, keys)
                .to(BLMPOP)
                .blockingFor(wait)
                .as(PopResult.decoder(Replies::bytes, Replies.list(Replies::bytes)));
    }

    /**
     * Removes and returns up to {@code count} members from the end {@code from} of the first non-empty sorted set of
     * {@code keys}. Requires at least one key.
     *
     * @param count 1 or more
     */
    public static Command<Optional<PopResult<String, List<ScoredMember<String>>>>> sortedSets(
            ScoreEnd from, long count, String... keys) {
        return popped(Arguments.of(), from.name(), count, keys).to(ZMPOP);
    }

    /** Same command as {@link #sortedSets(ScoreEnd, long, String...)}, with binary keys and members. */
    public static Command<Optional<PopResult<byte[], List<ScoredMember<byte[]>>>>> sortedSets(
            ScoreEnd from, long count, byte[]... keys) {
        return popped(Arguments.of(), from.name(), count, keys)
                .to(ZMPOP)
                .as(PopResult.decoder(Replies::bytes, Replies.scored(Replies::bytes)));
    }

    /**
     * Removes members as {@link #sortedSets(ScoreEnd, long, String...)} does. Blocks if all sorted sets are empty, at
     * most for {@code wait}.
     */
    public static Command<Optional<PopResult<String, List<ScoredMember<String>>>>> awaitSortedSets(
            Duration wait, ScoreEnd from, long count, String... keys) {
        return popped(Arguments.of(Arguments.waitSeconds(wait)), from.name(), count, keys)
                .to(BZMPOP)
                .blockingFor(wait);
    }

    /** Same command as {@link #awaitSortedSets(Duration, ScoreEnd, long, String...)}, with binary keys and members. */
    public static Command<Optional<PopResult<byte[], List<ScoredMember<byte[]>>>>> awaitSortedSets(
            Duration wait, ScoreEnd from, long count, byte[]... keys) {
        return popped(Arguments.of(Arguments.waitSeconds(wait)), from.name(), count, keys)
                .to(BZMPOP)
                .blockingFor(wait)
                .as(PopResult.decoder(Replies::bytes, Replies.scored(Replies::bytes)));
    }

    private static Arguments popped(Arguments arguments, String end, long count, Object[] keys) {
        return arguments
                .add(keys.length)
                .addEach("keys", keys)
                .add(end)
                .add("COUNT")
                .add(Arguments.count("count", count));
    }
}
