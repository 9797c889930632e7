// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Commands on list keys. Factories with {@code byte[]} parameters are binary-safe: they send and return raw bytes.
 * Blocking commands ({@code await…}) wait for an element and run on a dedicated connection. The maximum wait is an
 * argument, 1 ms to 1 day.
 */
public final class Lists {

    /** {@code LPUSH key element …}: returns the new length. */
    public static final CommandSpec<Long> LPUSH = CommandSpec.of("LPUSH", Replies::integer);

    /** {@code RPUSH key element …}: returns the new length. */
    public static final CommandSpec<Long> RPUSH = CommandSpec.of("RPUSH", Replies::integer);

    /** {@code LPOP key}: returns the first element. */
    public static final CommandSpec<Optional<String>> LPOP = CommandSpec.of("LPOP", Replies::optionalText);

    /** {@code RPOP key}: returns the last element. */
    public static final CommandSpec<Optional<String>> RPOP = CommandSpec.of("RPOP", Replies::optionalText);

    /** {@code LLEN key}: returns the number of elements. */
    public static final CommandSpec<Long> LLEN =
            CommandSpec.of("LLEN", Replies::integer).idempotently();

    /** {@code LRANGE key first last}: returns the elements in this index range. */
    public static final CommandSpec<List<String>> LRANGE =
            CommandSpec.of("LRANGE", Replies.list(Replies::text)).idempotently();

    /** {@code LTRIM key first last}: returns {@code OK}. */
    public static final CommandSpec<String> LTRIM = CommandSpec.of("LTRIM", Replies::text);

    /** {@code LREM key count element}: returns the number of removed elements. */
    public static final CommandSpec<Long> LREM = CommandSpec.of("LREM", Replies::integer);

    /** {@code LMOVE source destination end end}: returns the moved element. */
    public static final CommandSpec<Optional<String>> LMOVE = CommandSpec.of("LMOVE", Replies::optionalText);

    /** {@code BLPOP key … seconds}: returns the first element of the first non-empty list, empty after the timeout. */
    public static final CommandSpec<Optional<PopResult<String, String>>> BLPOP =
            CommandSpec.of("BLPOP", PopResult.decoder(Replies::text, Replies::text));

    /** {@code BRPOP key … seconds}: returns the last element of the first non-empty list, empty after the timeout. */
    public static final CommandSpec<Optional<PopResult<String, String>>> BRPOP =
            CommandSpec.of("BRPOP", PopResult.decoder(Replies::text, Replies::text));

    /** {@code BLMOVE source destination end end seconds}: returns the moved element, empty after the timeout. */
    public static final CommandSpec<Optional<String>> BLMOVE = CommandSpec.of("BLMOVE", Replies::optionalText);

    private Lists() {}

    /**
     * Inserts {@code elements} at the left end of {@code key}, one after the other. So the last of {@code elements}
     * becomes the first element of the list. Requires at least one element.
     */
    public static Command<Long> pushLeft(String key, String... elements) {
        return Arguments.of(key).addEach("elements", elements).to(LPUSH);
    }

    /** Same command as {@link #pushLeft(String, String...)}, with a binary key and binary elements. */
    public static Command<Long> pushLeft(byte[] key, byte[]... elements) {
        return Arguments.of(key).addEach("elements", elements).to(LPUSH);
    }

    /** Appends {@code elements} at the right end of {@code key}. Requires at least one element. */
    public static Command<Long> pushRight(String key, String... elements) {
        return Arguments.of(key).addEach("elements", elements).to(RPUSH);
    }

    /** Same command as {@link #pushRight(String, String...)}, with a binary key and binary elements. */
    public static Command<Long> pushRight(byte[] key, byte[]... elements) {
        return Arguments.of(key).addEach("elements", elements).to(RPUSH);
    }

    /** Removes and returns the first element of {@code key}. */
    public static Command<Optional<String>> popLeft(String key) {
        return Command.of(LPOP, key);
    }

    /** Same command as {@link #popLeft(String)}, with a binary key and element. */
    public static Command<Optional<byte[]>> popLeft(byte[] key) {
        return Command.of(LPOP, key).as(Replies::optionalBytes);
    }

    /**
     * Removes and returns up to {@code count} elements from the left end of {@code key}.
     *
     * @param count 1 or more
     */
    public static Command<List<String>> popLeft(String key, long count) {
        return Command.of(LPOP, key, Arguments.count("count", count)).as(Replies.list(Replies::text));
    }

    /** Same command as {@link #popLeft(String, long)}, with a binary key and binary elements. */
    public static Command<List<byte[]>> popLeft(byte[] key, long count) {
        return Command.of(LPOP, key, Arguments.count("count", count)).as(Replies.list(Replies::bytes));
    }

    /** Removes and returns the last element of {@code key}. */
    public static Command<Optional<String>> popRight(String key) {
        return Command.of(RPOP, key);
    }

    /** Same command as {@link #popRight(String)}, with a binary key and element. */
    public static Command<Optional<byte[]>> popRight(byte[] key) {
        return Command.of(RPOP, key).as(Replies::optionalBytes);
    }

    /**
     * Removes and returns up to {@code count} elements from the right end of {@code key}, the last element first.
     *
     * @param count 1 or more
     */
    public static Command<List<String>> popRight(String key, long count) {
        return Command.of(RPOP, key, Arguments.count("count", count)).as(Replies.list(Replies::text));
    }

    /** Same command as {@link #popRight(String, long)}, with a binary key and binary elements. */
    public static Command<List<byte[]>> popRight(byte[] key, long count) {
        return Command.of(RPOP, key, Arguments.count("count", count)).as(Replies.list(Replies::bytes));
    }

    /** Counts the elements of {@code key}, 0 if the key does not exist. */
    public static Command<Long> size(String key) {
        return Command.of(LLEN, key);
    }

    /** Same command as {@link #size(String)}, with a binary key. */
    public static Command<Long> size(byte[] key) {
        return Command.of(LLEN, key);
    }

    /** Reads the elements of {@code key} from {@code first} to {@code last}, both included. -1 is the last element. */
    public static Command<List<String>> range(String key, long first, long last) {
        return Command.of(LRANGE, key, first, last);
    }

    /** Same command as {@link #range(String, long, long)}, with a binary key and binary elements. */
    public static Command<List<byte[]>> range(byte[] key, long first, long last) {
        return Command.of(LRANGE, key, first, last).as(Replies.list(Replies::bytes));
    }

    /**
     * Keeps the elements of {@code key} with an index from {@code first} to {@code last}, both included. Removes all
     * other elements.
     */
    public static Command<String> trim(String key, long first, long last) {
        return Command.of(LTRIM, key, first, last);
    }

    /** Same command as {@link #trim(String, long, long)}, with a binary key. */
    public static Command<String> trim(byte[] key, long first, long last) {
        return Command.of(LTRIM, key, first, last);
    }

    /**
     * Removes occurrences of {@code element} from {@code key}. A positive {@code count} removes the first {@code count}
     * occurrences, a negative {@code count} removes the last {@code -count} occurrences, and 0 removes all occurrences.
     */
    public static Command<Long> remove(String key, long count, String element) {
        return Command.of(LREM, key, count, element);
    }

    /** Same command as {@link #remove(String, long, String)}, with a binary key and element. */
    public static Command<Long> remove(byte[] key, long count, byte[] element) {
        return Command.of(LREM, key, count, element);
    }

    /**
     * Atomically removes an element from one end of {@code source} and inserts it at one end of {@code destination}.
     */
    public static Command<Optional<String>> move(String source, ListEnd from, String destination, ListEnd to) {
        return Command.of(LMOVE, source, destination, from.name(), to.name());
    }

    /** Same command as {@link #move(String, ListEnd, String, ListEnd)}, with binary keys and a binary element. */
    public static Command<Optional<byte[]>> move(byte[] source, ListEnd from, byte[] destination, ListEnd to) {
        return Command.of(LMOVE, source, destination, from.name(), to.name()).as(Replies::optionalBytes);
    }

    /**
     * Removes and returns the first element of the first non-empty list of {@code keys}. Blocks if all lists are empty,
     * at most for {@code wait}.
     */
    public static Command<Optional<PopResult<String, String>>> awaitLeft(Duration wait, String... keys) {
        return awaited(BLPOP, wait, keys);
    }

    /** Same command as {@link #awaitLeft(Duration, String...)}, with binary keys and a binary element. */
    public static Command<Optional<PopResult<byte[], byte[]>>> awaitLeft(Duration wait, byte[]... keys) {
        return awaited(BLPOP, wait, keys).as(PopResult.decoder(Replies::bytes, Replies::bytes));
    }

    /**
     * Removes and returns the last element of the first non-empty list of {@code keys}. Blocks if all lists are empty,
     * at most for {@code wait}.
     */
    public static Command<Optional<PopResult<String, String>>> awaitRight(Duration wait, String... keys) {
        return awaited(BRPOP, wait, keys);
    }

    /** Same command as {@link #awaitRight(Duration, String...)}, with binary keys and a binary element. */
    public static Command<Optional<PopResult<byte[], byte[]>>> awaitRight(Duration wait, byte[]... keys) {
        return awaited(BRPOP, wait, keys).as(PopResult.decoder(Replies::bytes, Replies::bytes));
    }

    /** Moves an element as {@link #move} does. Blocks if {@code source} is empty, at most for {@code wait}. */
    public static Command<Optional<String>> awaitMove(
            Duration wait, String source, ListEnd from, String destination, ListEnd to) {
        return Command.of(BLMOVE, source, destination, from.name(), to.name(), Arguments.waitSeconds(wait))
                .blockingFor(wait);
    }

    /**
     * Same command as {@link #awaitMove(Duration, String, ListEnd, String, ListEnd)}, with binary keys and a binary
     * element.
     */
    public static Command<Optional<byte[]>> awaitMove(
            Duration wait, byte[] source, ListEnd from, byte[] destination, ListEnd to) {
        return Command.of(BLMOVE, source, destination, from.name(), to.name(), Arguments.waitSeconds(wait))
                .blockingFor(wait)
                .as(Replies::optionalBytes);
    }

    private static <T> Command<T> awaited(CommandSpec<T> spec, Duration wait, Object[] keys) {
        return Arguments.of()
                .addEach("keys", keys)
                .add(Arguments.waitSeconds(wait))
                .to(spec)
                .blockingFor(wait);
    }
}
