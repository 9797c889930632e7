// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Commands on list keys. A factory that is given {@code byte[]} sends, and answers, any bytes as they are. What waits for an
 * element takes 1 ms to 1 day, and a connection to itself for so long.
 */
public final class Lists {

    /** {@code LPUSH key element …}: the new length. */
    public static final CommandSpec<Long> LPUSH = CommandSpec.of("LPUSH", Replies::integer);

    /** {@code RPUSH key element …}: the new length. */
    public static final CommandSpec<Long> RPUSH = CommandSpec.of("RPUSH", Replies::integer);

    /** {@code LPOP key}: the first element. */
    public static final CommandSpec<Optional<String>> LPOP = CommandSpec.of("LPOP", Replies::optionalText);

    /** {@code RPOP key}: the last element. */
    public static final CommandSpec<Optional<String>> RPOP = CommandSpec.of("RPOP", Replies::optionalText);

    /** {@code LLEN key}: how many elements there are. */
    public static final CommandSpec<Long> LLEN =
            CommandSpec.of("LLEN", Replies::integer).idempotently();

    /** {@code LRANGE key first last}: the elements from index to index. */
    public static final CommandSpec<List<String>> LRANGE =
            CommandSpec.of("LRANGE", Replies.list(Replies::text)).idempotently();

    /** {@code LTRIM key first last}: answers {@code OK}. */
    public static final CommandSpec<String> LTRIM = CommandSpec.of("LTRIM", Replies::text);

    /** {@code LREM key count element}: how many were there. */
    public static final CommandSpec<Long> LREM = CommandSpec.of("LREM", Replies::integer);

    /** {@code LMOVE source destination end end}: the element that was moved. */
    public static final CommandSpec<Optional<String>> LMOVE = CommandSpec.of("LMOVE", Replies::optionalText);

    /** {@code BLPOP key … seconds}: the first element of the first key that has one; empty if time was up. */
    public static final CommandSpec<Optional<Popped<String, String>>> BLPOP =
            CommandSpec.of("BLPOP", Popped.decoder(Replies::text));

    /** {@code BRPOP key … seconds}: the last element of the first key that has one; empty if time was up. */
    public static final CommandSpec<Optional<Popped<String, String>>> BRPOP =
            CommandSpec.of("BRPOP", Popped.decoder(Replies::text));

    /** {@code BLMOVE source destination end end seconds}: the element that was moved; empty if time was up. */
    public static final CommandSpec<Optional<String>> BLMOVE = CommandSpec.of("BLMOVE", Replies::optionalText);

    private Lists() {}

    /** Puts {@code elements}, at least one, one after the other at the left end of {@code key}: the last becomes the first. */
    public static Command<Long> pushLeft(String key, String... elements) {
        return Arguments.of(key).addEach("elements", elements).to(LPUSH);
    }

    /** The same for a key and elements of any bytes. */
    public static Command<Long> pushLeft(byte[] key, byte[]... elements) {
        return Arguments.of(key).addEach("elements", elements).to(LPUSH);
    }

    /** Puts {@code elements}, at least one, at the right end of {@code key}. */
    public static Command<Long> pushRight(String key, String... elements) {
        return Arguments.of(key).addEach("elements", elements).to(RPUSH);
    }

    /** The same for a key and elements of any bytes. */
    public static Command<Long> pushRight(byte[] key, byte[]... elements) {
        return Arguments.of(key).addEach("elements", elements).to(RPUSH);
    }

    /** Takes the first element of {@code key}. */
    public static Command<Optional<String>> popLeft(String key) {
        return Command.of(LPOP, key);
    }

    /** The same for a key and an element of any bytes. */
    public static Command<Optional<byte[]>> popLeft(byte[] key) {
        return Command.of(LPOP, key).as(Replies::optionalBytes);
    }

    /** Takes up to {@code count} elements, 1 or more, from the left end of {@code key}. */
    public static Command<List<String>> popLeft(String key, long count) {
        return Command.of(LPOP, key, Arguments.count("count", count)).as(Replies.list(Replies::text));
    }

    /** The same for a key and elements of any bytes. */
    public static Command<List<byte[]>> popLeft(byte[] key, long count) {
        return Command.of(LPOP, key, Arguments.count("count", count)).as(Replies.list(Replies::bytes));
    }

    /** Takes the last element of {@code key}. */
    public static Command<Optional<String>> popRight(String key) {
        return Command.of(RPOP, key);
    }

    /** The same for a key and an element of any bytes. */
    public static Command<Optional<byte[]>> popRight(byte[] key) {
        return Command.of(RPOP, key).as(Replies::optionalBytes);
    }

    /** Takes up to {@code count} elements, 1 or more, from the right end of {@code key}, the last first. */
    public static Command<List<String>> popRight(String key, long count) {
        return Command.of(RPOP, key, Arguments.count("count", count)).as(Replies.list(Replies::text));
    }

    /** The same for a key and elements of any bytes. */
    public static Command<List<byte[]>> popRight(byte[] key, long count) {
        return Command.of(RPOP, key, Arguments.count("count", count)).as(Replies.list(Replies::bytes));
    }

    /** How many elements {@code key} has; 0 if it is not there. */
    public static Command<Long> size(String key) {
        return Command.of(LLEN, key);
    }

    /** The same for a key of any bytes. */
    public static Command<Long> size(byte[] key) {
        return Command.of(LLEN, key);
    }

    /** Reads the elements of {@code key} from {@code first} to {@code last}, both included; -1 is the last element. */
    public static Command<List<String>> range(String key, long first, long last) {
        return Command.of(LRANGE, key, first, last);
    }

    /** The same for a key and elements of any bytes. */
    public static Command<List<byte[]>> range(byte[] key, long first, long last) {
        return Command.of(LRANGE, key, first, last).as(Replies.list(Replies::bytes));
    }

    /** Leaves of {@code key} only the elements from {@code first} to {@code last}, both included. */
    public static Command<String> trim(String key, long first, long last) {
        return Command.of(LTRIM, key, first, last);
    }

    /** The same for a key of any bytes. */
    public static Command<String> trim(byte[] key, long first, long last) {
        return Command.of(LTRIM, key, first, last);
    }

    /** Removes {@code element} from {@code key}: the first {@code count}, the last {@code -count}, or for 0 all of them. */
    public static Command<Long> remove(String key, long count, String element) {
        return Command.of(LREM, key, count, element);
    }

    /** The same for a key and an element of any bytes. */
    public static Command<Long> remove(byte[] key, long count, byte[] element) {
        return Command.of(LREM, key, count, element);
    }

    /** Takes an element from an end of {@code source} and puts it at an end of {@code destination}, in one step. */
    public static Command<Optional<String>> move(String source, ListEnd from, String destination, ListEnd to) {
        return Command.of(LMOVE, source, destination, from.name(), to.name());
    }

    /** The same for keys and an element of any bytes. */
    public static Command<Optional<byte[]>> move(byte[] source, ListEnd from, byte[] destination, ListEnd to) {
        return Command.of(LMOVE, source, destination, from.name(), to.name()).as(Replies::optionalBytes);
    }

    /** Takes the first element of the first of {@code keys} that has one; waits for one if none has. */
    public static Command<Optional<Popped<String, String>>> awaitLeft(Duration wait, String... keys) {
        return awaited(BLPOP, wait, keys);
    }

    /** The same for keys and an element of any bytes. */
    public static Command<Optional<Popped<byte[], byte[]>>> awaitLeft(Duration wait, byte[]... keys) {
        return awaited(BLPOP, wait, keys).as(Popped.decoder(Replies::bytes));
    }

    /** Takes the last element of the first of {@code keys} that has one; waits for one if none has. */
    public static Command<Optional<Popped<String, String>>> awaitRight(Duration wait, String... keys) {
        return awaited(BRPOP, wait, keys);
    }

    /** The same for keys and an element of any bytes. */
    public static Command<Optional<Popped<byte[], byte[]>>> awaitRight(Duration wait, byte[]... keys) {
        return awaited(BRPOP, wait, keys).as(Popped.decoder(Replies::bytes));
    }

    /** Does as {@link #move}; waits for an element if there is none. */
    public static Command<Optional<String>> awaitMove(
            Duration wait, String source, ListEnd from, String destination, ListEnd to) {
        return Command.of(BLMOVE, source, destination, from.name(), to.name(), Arguments.waitSeconds(wait))
                .blockingFor(wait);
    }

    /** The same for keys and an element of any bytes. */
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
