// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Commands on set keys. A factory that is given {@code byte[]} sends, and answers, any bytes as they are. */
public final class Sets {

    /** {@code SADD key member …}: how many are new. */
    public static final CommandSpec<Long> SADD = CommandSpec.of("SADD", Replies::integer);

    /** {@code SREM key member …}: how many were there. */
    public static final CommandSpec<Long> SREM = CommandSpec.of("SREM", Replies::integer);

    /** {@code SISMEMBER key member}: whether it is there. */
    public static final CommandSpec<Boolean> SISMEMBER =
            CommandSpec.of("SISMEMBER", Replies::flag).idempotently();

    /** {@code SMISMEMBER key member …}: whether each is there, in order. */
    public static final CommandSpec<List<Boolean>> SMISMEMBER =
            CommandSpec.of("SMISMEMBER", Replies.list(Replies::flag)).idempotently();

    /** {@code SMEMBERS key}: all members. */
    public static final CommandSpec<Set<String>> SMEMBERS =
            CommandSpec.of("SMEMBERS", Replies.set(Replies::text)).idempotently();

    /** {@code SCARD key}: how many members there are. */
    public static final CommandSpec<Long> SCARD =
            CommandSpec.of("SCARD", Replies::integer).idempotently();

    /** {@code SPOP key}: the member that was taken. */
    public static final CommandSpec<Optional<String>> SPOP = CommandSpec.of("SPOP", Replies::optionalText);

    /** {@code SINTER key …}: what is in all of them. */
    public static final CommandSpec<Set<String>> SINTER =
            CommandSpec.of("SINTER", Replies.set(Replies::text)).idempotently();

    /** {@code SUNION key …}: what is in any of them. */
    public static final CommandSpec<Set<String>> SUNION =
            CommandSpec.of("SUNION", Replies.set(Replies::text)).idempotently();

    /** {@code SDIFF key …}: what is in the first and in none of the others. */
    public static final CommandSpec<Set<String>> SDIFF =
            CommandSpec.of("SDIFF", Replies.set(Replies::text)).idempotently();

    /** {@code SSCAN key cursor [options]}: a page of members. */
    public static final CommandSpec<ScanPage<List<String>>> SSCAN =
            CommandSpec.of("SSCAN", Replies.page(Replies.list(Replies::text))).idempotently();

    private Sets() {}

    /** Adds {@code members}, at least one, to {@code key}. */
    public static Command<Long> add(String key, String... members) {
        return Arguments.of(key).addEach("members", members).to(SADD);
    }

    /** The same for a key and members of any bytes. */
    public static Command<Long> add(byte[] key, byte[]... members) {
        return Arguments.of(key).addEach("members", members).to(SADD);
    }

    /** Removes {@code members}, at least one, from {@code key}. */
    public static Command<Long> remove(String key, String... members) {
        return Arguments.of(key).addEach("members", members).to(SREM);
    }

    /** The same for a key and members of any bytes. */
    public static Command<Long> remove(byte[] key, byte[]... members) {
        return Arguments.of(key).addEach("members", members).to(SREM);
    }

    /** Whether {@code member} is in {@code key}. */
    public static Command<Boolean> contains(String key, String member) {
        return Command.of(SISMEMBER, key, member);
    }

    /** The same for a key and a member of any bytes. */
    public static Command<Boolean> contains(byte[] key, byte[] member) {
        return Command.of(SISMEMBER, key, member);
    }

    /** Whether each of {@code members}, at least one, is in {@code key}. */
    public static Command<List<Boolean>> containsEach(String key, String... members) {
        return Arguments.of(key).addEach("members", members).to(SMISMEMBER);
    }

    /** The same for a key and members of any bytes. */
    public static Command<List<Boolean>> containsEach(byte[] key, byte[]... members) {
        return Arguments.of(key).addEach("members", members).to(SMISMEMBER);
    }

    /** Reads all members of {@code key}; none if it is not there. */
    public static Command<Set<String>> members(String key) {
        return Command.of(SMEMBERS, key);
    }

    /** The same for a key and members of any bytes. */
    public static Command<Set<byte[]>> members(byte[] key) {
        return Command.of(SMEMBERS, key).as(Replies.set(Replies::bytes));
    }

    /** How many members {@code key} has; 0 if it is not there. */
    public static Command<Long> size(String key) {
        return Command.of(SCARD, key);
    }

    /** The same for a key of any bytes. */
    public static Command<Long> size(byte[] key) {
        return Command.of(SCARD, key);
    }

    /** Takes any member of {@code key}. */
    public static Command<Optional<String>> pop(String key) {
        return Command.of(SPOP, key);
    }

    /** The same for a key and a member of any bytes. */
    public static Command<Optional<byte[]>> pop(byte[] key) {
        return Command.of(SPOP, key).as(Replies::optionalBytes);
    }

    /** Takes up to {@code count} members, 1 or more, of {@code key}. */
    public static Command<Set<String>> pop(String key, long count) {
        return Command.of(SPOP, key, Arguments.count("count", count)).as(Replies.set(Replies::text));
    }

    /** The same for a key and members of any bytes. */
    public static Command<Set<byte[]>> pop(byte[] key, long count) {
        return Command.of(SPOP, key, Arguments.count("count", count)).as(Replies.set(Replies::bytes));
    }

    /** Reads what is in all of {@code keys}, at least one. */
    public static Command<Set<String>> intersection(String... keys) {
        return Arguments.of().addEach("keys", keys).to(SINTER);
    }

    /** The same for keys and members of any bytes. */
    public static Command<Set<byte[]>> intersection(byte[]... keys) {
        return Arguments.of().addEach("keys", keys).to(SINTER).as(Replies.set(Replies::bytes));
    }

    /** Reads what is in any of {@code keys}, at least one. */
    public static Command<Set<String>> union(String... keys) {
        return Arguments.of().addEach("keys", keys).to(SUNION);
    }

    /** The same for keys and members of any bytes. */
    public static Command<Set<byte[]>> union(byte[]... keys) {
        return Arguments.of().addEach("keys", keys).to(SUNION).as(Replies.set(Replies::bytes));
    }

    /** Reads what is in the first of {@code keys}, at least one, and in none of the others. */
    public static Command<Set<String>> difference(String... keys) {
        return Arguments.of().addEach("keys", keys).to(SDIFF);
    }

    /** The same for keys and members of any bytes. */
    public static Command<Set<byte[]>> difference(byte[]... keys) {
        return Arguments.of().addEach("keys", keys).to(SDIFF).as(Replies.set(Replies::bytes));
    }

    /**
     * Reads the members of {@code key}, a page at a time.
     *
     * @param cursor {@link ScanPage#START}, then that of the page before
     */
    public static Command<ScanPage<List<String>>> scan(String key, String cursor, ScanOptions options) {
        return options.addTo(Arguments.of(key), cursor).to(SSCAN);
    }

    /** The same for a key and members of any bytes. */
    public static Command<ScanPage<List<byte[]>>> scan(byte[] key, String cursor, ScanOptions options) {
        return options.addTo(Arguments.of(key), cursor).to(SSCAN).as(Replies.page(Replies.list(Replies::bytes)));
    }
}
