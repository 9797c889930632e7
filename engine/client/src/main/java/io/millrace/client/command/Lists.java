// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import io.millrace.resp.Reply;
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
    public static final CommandSpec<Long> LPUSH = CommandSpec.of("LPUSH", Decoders.INTEGER);

    /** {@code RPUSH key element …}: returns the new length. */
    public static final CommandSpec<Long> RPUSH = CommandSpec.of("RPUSH", Decoders.INTEGER);

    /** {@code LPOP key}: returns the first element. */
    public static final CommandSpec<Optional<String>> LPOP = CommandSpec.of("LPOP", Decoders.OPTIONAL_TEXT);

    /** {@code RPOP key}: returns the last element. */
    public static final CommandSpec<Optional<String>> RPOP = CommandSpec.of("RPOP", Decoders.OPTIONAL_TEXT);

    /** {@code LLEN key}: returns the number of elements. */
    public static final CommandSpec<Long> LLEN =
            CommandSpec.of("LLEN", Decoders.INTEGER).idempotently();

    /** {@code LRANGE key first last}: returns the elements in this index range. */
    public static final CommandSpec<List<String>> LRANGE =
            CommandSpec.of("LRANGE", Replies.list(Decoders.TEXT)).idempotently();

    /** {@code LTRIM key first last}: returns {@code OK}. */
    public static final CommandSpec<String> LTRIM = CommandSpec.of("LTRIM", Decoders.TEXT);

    /** {@code LREM key count element}: returns the number of removed elements. */
    public static final CommandSpec<Long> LREM = CommandSpec.of("LREM", Decoders.INTEGER);

    /** {@code LMOVE source destination end end}: returns the moved element. */
    public static final CommandSpec<Optional<String>> LMOVE = CommandSpec.of("LMOVE", Decoders.OPTIONAL_TEXT);

    /** {@code BLPOP key … seconds}: returns the first element of the first non-empty list, empty after the timeout. */
    public static final CommandSpec<Optional<PopResult<String, String>>> BLPOP =
            CommandSpec.of("BLPOP", PopResult.decoder(Decoders.TEXT, Decoders.TEXT));

    /** {@code BRPOP key … seconds}: returns the last element of the first non-empty list, empty after the timeout. */
    public static final CommandSpec<Optional<PopResult<String, String>>> BRPOP =
            CommandSpec.of("BRPOP", PopResult.decoder(Decoders.TEXT, Decoders.TEXT));

    /** {@code BLMOVE source destination end end seconds}: returns the moved element, empty after the timeout. */
    public static final CommandSpec<Optional<String>> BLMOVE = CommandSpec.of("BLMOVE", Decoders.OPTIONAL_TEXT);

    /** {@code LINDEX key index}: returns the element. */
    public static final CommandSpec<Optional<String>> LINDEX =
            CommandSpec.of("LINDEX", Decoders.OPTIONAL_TEXT).idempotently();

    /** {@code LSET key index element}: returns {@code OK}. */
    public static final CommandSpec<String> LSET = CommandSpec.of("LSET", Decoders.TEXT);

    /** {@code LINSERT key position pivot element}: returns the new length, -1 without the pivot, 0 without the key. */
    public static final CommandSpec<Long> LINSERT = CommandSpec.of("LINSERT", Decoders.INTEGER);

    /** {@code LPUSHX key element …}: returns the new length, 0 if the key does not exist. */
    public static final CommandSpec<Long> LPUSHX = CommandSpec.of("LPUSHX", Decoders.INTEGER);

    /** {@code RPUSHX key element …}: returns the new length, 0 if the key does not exist. */
    public static final CommandSpec<Long> RPUSHX = CommandSpec.of("RPUSHX", Decoders.INTEGER);

    /** {@code LPOS key element [options]}: returns the index of the first match. */
    public static final CommandSpec<Optional<Long>> LPOS =
            CommandSpec.of("LPOS", Replies.optional(Decoders.INTEGER)).idempotently();

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
        return Command.of(LPOP, key, Arguments.count("count", count)).as(Replies.list(Decoders.TEXT));
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
        return Command.of(RPOP, key, Arguments.count("count", count)).as(Replies.list(Decoders.TEXT));
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

    /**
     * Reads the element of {@code key} at {@code index}, counted from 0. -1 is the last element. Empty if there is no
     * such element.
     */
    public static Command<Optional<String>> get(String key, long index) {
        return Command.of(LINDEX, key, index);
    }

    /** Same command as {@link #get(String, long)}, with a binary key and element. */
    public static Command<Optional<byte[]>> get(byte[] key, long index) {
        return Command.of(LINDEX, key, index).as(Replies::optionalBytes);
    }

    /**
     * Replaces the element of {@code key} at {@code index}. The server returns an error if there is no such element.
     */
    public static Command<String> set(String key, long index, String element) {
        return Command.of(LSET, key, index, element);
    }

    /** Same command as {@link #set(String, long, String)}, with a binary key and element. */
    public static Command<String> set(byte[] key, long index, byte[] element) {
        return Command.of(LSET, key, index, element);
    }

    /**
     * Inserts {@code element} before the first occurrence of {@code pivot}. Returns the new length, empty if {@code
     * key} does not contain the pivot.
     */
    public static Command<Optional<Long>> insertBefore(String key, String pivot, String element) {
        return Command.of(LINSERT, key, "BEFORE", pivot, element).as(Lists::inserted);
    }

    /** Same command as {@link #insertBefore(String, String, String)}, with a binary key and binary elements. */
    public static Command<Optional<Long>> insertBefore(byte[] key, byte[] pivot, byte[] element) {
        return Command.of(LINSERT, key, "BEFORE", pivot, element).as(Lists::inserted);
    }

    /**
     * Inserts {@code element} after the first occurrence of {@code pivot}. Returns the new length, empty if {@code
     * key} does not contain the pivot.
     */
    public static Command<Optional<Long>> insertAfter(String key, String pivot, String element) {
        return Command.of(LINSERT, key, "AFTER", pivot, element).as(Lists::inserted);
    }

    /** Same command as {@link #insertAfter(String, String, String)}, with a binary key and binary elements. */
    public static Command<Optional<Long>> insertAfter(byte[] key, byte[] pivot, byte[] element) {
        return Command.of(LINSERT, key, "AFTER", pivot, element).as(Lists::inserted);
    }

    /** Inserts {@code elements} as {@link #pushLeft(String, String...)} does, if {@code key} exists. */
    public static Command<Long> pushLeftIfPresent(String key, String... elements) {
        return Arguments.of(key).addEach("elements", elements).to(LPUSHX);
    }

    /** Same command as {@link #pushLeftIfPresent(String, String...)}, with a binary key and binary elements. */
    public static Command<Long> pushLeftIfPresent(byte[] key, byte[]... elements) {
        return Arguments.of(key).addEach("elements", elements).to(LPUSHX);
    }

    /** Inserts {@code elements} as {@link #pushRight(String, String...)} does, if {@code key} exists. */
    public static Command<Long> pushRightIfPresent(String key, String... elements) {
        return Arguments.of(key).addEach("elements", elements).to(RPUSHX);
    }

    /** Same command as {@link #pushRightIfPresent(String, String...)}, with a binary key and binary elements. */
    public static Command<Long> pushRightIfPresent(byte[] key, byte[]... elements) {
        return Arguments.of(key).addEach("elements", elements).to(RPUSHX);
    }

    /** Returns the index of the first {@code element} in {@code key}, empty if there is none. */
    public static Command<Optional<Long>> indexOf(String key, String element) {
        return Command.of(LPOS, key, element);
    }

    /** Same command as {@link #indexOf(String, String)}, with a binary key and element. */
    public static Command<Optional<Long>> indexOf(byte[] key, byte[] element) {
        return Command.of(LPOS, key, element);
    }

    /** Returns the index of the last {@code element} in {@code key}, empty if there is none. */
    public static Command<Optional<Long>> lastIndexOf(String key, String element) {
        return Command.of(LPOS, key, element, "RANK", -1);
    }

    /** Same command as {@link #lastIndexOf(String, String)}, with a binary key and element. */
    public static Command<Optional<Long>> lastIndexOf(byte[] key, byte[] element) {
        return Command.of(LPOS, key, element, "RANK", -1);
    }

    /**
     * Returns the indexes of the first {@code count} occurrences of {@code element} in {@code key}.
     *
     * @param count 1 or more
     */
    public static Command<List<Long>> indexesOf(String key, String element, long count) {
        return Command.of(LPOS, key, element, "COUNT", Arguments.count("count", count))
                .as(Replies.list(Decoders.INTEGER));
    }

    /** Same command as {@link #indexesOf(String, String, long)}, with a binary key and element. */
    public static Command<List<Long>> indexesOf(byte[] key, byte[] element, long count) {
        return Command.of(LPOS, key, element, "COUNT", Arguments.count("count", count))
                .as(Replies.list(Decoders.INTEGER));
    }

    private static <T> Command<T> awaited(CommandSpec<T> spec, Duration wait, Object[] keys) {
        return Arguments.of()
                .addEach("keys", keys)
                .add(Arguments.waitSeconds(wait))
                .to(spec)
                .blockingFor(wait);
    }

    /** Decodes the new length. -1 means that there is no pivot, and 0 means that there is no key. */
    private static Optional<Long> inserted(Reply reply) {
        long length = Replies.integer(reply);
        return length > 0 ? Optional.of(length) : Optional.empty();
    }
}
