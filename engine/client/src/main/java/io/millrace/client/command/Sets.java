// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Commands on set keys. Factories with {@code byte[]} parameters are binary-safe: they send and return raw bytes. */
public final class Sets {

    /** {@code SADD key member …}: returns the number of new members. */
    public static final CommandSpec<Long> SADD = CommandSpec.of("SADD", Decoders.INTEGER);

    /** {@code SREM key member …}: returns the number of removed members. */
    public static final CommandSpec<Long> SREM = CommandSpec.of("SREM", Decoders.INTEGER);

    /** {@code SISMEMBER key member}: returns whether the member is in the set. */
    public static final CommandSpec<Boolean> SISMEMBER =
            CommandSpec.of("SISMEMBER", Decoders.FLAG).idempotently();

    /**
     * {@code SMISMEMBER key member …}: returns for each member whether it is in the set, in the order of the arguments.
     */
    public static final CommandSpec<List<Boolean>> SMISMEMBER =
            CommandSpec.of("SMISMEMBER", Replies.list(Decoders.FLAG)).idempotently();

    /** {@code SMEMBERS key}: returns all members. */
    public static final CommandSpec<Set<String>> SMEMBERS =
            CommandSpec.of("SMEMBERS", Replies.set(Decoders.TEXT)).idempotently();

    /** {@code SCARD key}: returns the number of members. */
    public static final CommandSpec<Long> SCARD =
            CommandSpec.of("SCARD", Decoders.INTEGER).idempotently();

    /** {@code SPOP key}: returns the removed member. */
    public static final CommandSpec<Optional<String>> SPOP = CommandSpec.of("SPOP", Decoders.OPTIONAL_TEXT);

    /** {@code SINTER key …}: returns the intersection. */
    public static final CommandSpec<Set<String>> SINTER =
            CommandSpec.of("SINTER", Replies.set(Decoders.TEXT)).idempotently();

    /** {@code SUNION key …}: returns the union. */
    public static final CommandSpec<Set<String>> SUNION =
            CommandSpec.of("SUNION", Replies.set(Decoders.TEXT)).idempotently();

    /** {@code SDIFF key …}: returns the members of the first set that are in no other set. */
    public static final CommandSpec<Set<String>> SDIFF =
            CommandSpec.of("SDIFF", Replies.set(Decoders.TEXT)).idempotently();

    /** {@code SSCAN key cursor [options]}: returns a page of members. */
    public static final CommandSpec<ScanPage<List<String>>> SSCAN =
            CommandSpec.of("SSCAN", Replies.page(Replies.list(Decoders.TEXT))).idempotently();

    /** {@code SMOVE source destination member}: returns whether the member was moved. */
    public static final CommandSpec<Boolean> SMOVE = CommandSpec.of("SMOVE", Decoders.FLAG);

    /** {@code SRANDMEMBER key}: returns a random member, empty if the key does not exist. */
    public static final CommandSpec<Optional<String>> SRANDMEMBER =
            CommandSpec.of("SRANDMEMBER", Decoders.OPTIONAL_TEXT).idempotently();

    /** {@code SINTERCARD numkeys key … [options]}: returns the size of the intersection. */
    public static final CommandSpec<Long> SINTERCARD =
            CommandSpec.of("SINTERCARD", Decoders.INTEGER).idempotently();

    /** {@code SINTERSTORE destination key …}: returns the size of the intersection. */
    public static final CommandSpec<Long> SINTERSTORE = CommandSpec.of("SINTERSTORE", Decoders.INTEGER);

    /** {@code SUNIONSTORE destination key …}: returns the size of the union. */
    public static final CommandSpec<Long> SUNIONSTORE = CommandSpec.of("SUNIONSTORE", Decoders.INTEGER);

    /** {@code SDIFFSTORE destination key …}: returns the size of the difference. */
    public static final CommandSpec<Long> SDIFFSTORE = CommandSpec.of("SDIFFSTORE", Decoders.INTEGER);

    private Sets() {}

    /** Adds {@code members} to {@code key}. Requires at least one member. */
    public static Command<Long> add(String key, String... members) {
        return Arguments.of(key).addEach("members", members).to(SADD);
    }

    /** Same command as {@link #add(String, String...)}, with a binary key and binary members. */
    public static Command<Long> add(byte[] key, byte[]... members) {
        return Arguments.of(key).addEach("members", members).to(SADD);
    }

    /** Removes {@code members} from {@code key}. Requires at least one member. */
    public static Command<Long> remove(String key, String... members) {
        return Arguments.of(key).addEach("members", members).to(SREM);
    }

    /** Same command as {@link #remove(String, String...)}, with a binary key and binary members. */
    public static Command<Long> remove(byte[] key, byte[]... members) {
        return Arguments.of(key).addEach("members", members).to(SREM);
    }

    /** Returns whether {@code member} is in {@code key}. */
    public static Command<Boolean> contains(String key, String member) {
        return Command.of(SISMEMBER, key, member);
    }

    /** Same command as {@link #contains(String, String)}, with a binary key and member. */
    public static Command<Boolean> contains(byte[] key, byte[] member) {
        return Command.of(SISMEMBER, key, member);
    }

    /** Returns for each of {@code members} whether the member is in {@code key}. Requires at least one member. */
    public static Command<List<Boolean>> containsEach(String key, String... members) {
        return Arguments.of(key).addEach("members", members).to(SMISMEMBER);
    }

    /** Same command as {@link #containsEach(String, String...)}, with a binary key and binary members. */
    public static Command<List<Boolean>> containsEach(byte[] key, byte[]... members) {
        return Arguments.of(key).addEach("members", members).to(SMISMEMBER);
    }

    /** Reads all members of {@code key}. The result is empty if the key does not exist. */
    public static Command<Set<String>> members(String key) {
        return Command.of(SMEMBERS, key);
    }

    /** Same command as {@link #members(String)}, with a binary key and binary members. */
    public static Command<Set<byte[]>> members(byte[] key) {
        return Command.of(SMEMBERS, key).as(Replies.set(Replies::bytes));
    }

    /** Counts the members of {@code key}, 0 if the key does not exist. */
    public static Command<Long> size(String key) {
        return Command.of(SCARD, key);
    }

    /** Same command as {@link #size(String)}, with a binary key. */
    public static Command<Long> size(byte[] key) {
        return Command.of(SCARD, key);
    }

    /** Removes and returns a random member of {@code key}. */
    public static Command<Optional<String>> pop(String key) {
        return Command.of(SPOP, key);
    }

    /** Same command as {@link #pop(String)}, with a binary key and member. */
    public static Command<Optional<byte[]>> pop(byte[] key) {
        return Command.of(SPOP, key).as(Replies::optionalBytes);
    }

    /**
     * Removes and returns up to {@code count} random members of {@code key}.
     *
     * @param count 1 or more
     */
    public static Command<Set<String>> pop(String key, long count) {
        return Command.of(SPOP, key, Arguments.count("count", count)).as(Replies.set(Decoders.TEXT));
    }

    /** Same command as {@link #pop(String, long)}, with a binary key and binary members. */
    public static Command<Set<byte[]>> pop(byte[] key, long count) {
        return Command.of(SPOP, key, Arguments.count("count", count)).as(Replies.set(Replies::bytes));
    }

    /** Reads the intersection of {@code keys}. Requires at least one key. */
    public static Command<Set<String>> intersection(String... keys) {
        return Arguments.of().addEach("keys", keys).to(SINTER);
    }

    /** Same command as {@link #intersection(String...)}, with binary keys and members. */
    public static Command<Set<byte[]>> intersection(byte[]... keys) {
        return Arguments.of().addEach("keys", keys).to(SINTER).as(Replies.set(Replies::bytes));
    }

    /** Reads the union of {@code keys}. Requires at least one key. */
    public static Command<Set<String>> union(String... keys) {
        return Arguments.of().addEach("keys", keys).to(SUNION);
    }

    /** Same command as {@link #union(String...)}, with binary keys and members. */
    public static Command<Set<byte[]>> union(byte[]... keys) {
        return Arguments.of().addEach("keys", keys).to(SUNION).as(Replies.set(Replies::bytes));
    }

    /**
     * Reads all members of the first key that are in none of the other keys.
     *
     * @param keys at least one key
     */
    public static Command<Set<String>> difference(String... keys) {
        return Arguments.of().addEach("keys", keys).to(SDIFF);
    }

    /** Same command as {@link #difference(String...)}, with binary keys and members. */
    public static Command<Set<byte[]>> difference(byte[]... keys) {
        return Arguments.of().addEach("keys", keys).to(SDIFF).as(Replies.set(Replies::bytes));
    }

    /**
     * Reads one page of the members of {@code key}.
     *
     * @param cursor {@link ScanPage#START} for the first page, then the cursor of the previous page
     */
    public static Command<ScanPage<List<String>>> scan(String key, String cursor, ScanOptions options) {
        return options.addTo(Arguments.of(key), cursor).to(SSCAN);
    }

    /** Same command as {@link #scan(String, String, ScanOptions)}, with a binary key and binary members. */
    public static Command<ScanPage<List<byte[]>>> scan(byte[] key, String cursor, ScanOptions options) {
        return options.addTo(Arguments.of(key), cursor).to(SSCAN).as(Replies.page(Replies.list(Replies::bytes)));
    }

    /**
     * Atomically moves {@code member} from {@code source} to {@code destination}. Returns false if {@code source}
     * does not contain the member.
     */
    public static Command<Boolean> move(String source, String destination, String member) {
        return Command.of(SMOVE, source, destination, member);
    }

    /** Same command as {@link #move(String, String, String)}, with binary keys and a binary member. */
    public static Command<Boolean> move(byte[] source, byte[] destination, byte[] member) {
        return Command.of(SMOVE, source, destination, member);
    }

    /** Reads a random member of {@code key}. */
    public static Command<Optional<String>> random(String key) {
        return Command.of(SRANDMEMBER, key);
    }

    /** Same command as {@link #random(String)}, with a binary key and member. */
    public static Command<Optional<byte[]>> random(byte[] key) {
        return Command.of(SRANDMEMBER, key).as(Replies::optionalBytes);
    }

    /**
     * Reads up to {@code count} random members of {@code key}.
     *
     * @param count 1 or more
     */
    public static Command<Set<String>> random(String key, long count) {
        return Command.of(SRANDMEMBER, key, Arguments.count("count", count)).as(Replies.set(Decoders.TEXT));
    }

    /** Same command as {@link #random(String, long)}, with a binary key and binary members. */
    public static Command<Set<byte[]>> random(byte[] key, long count) {
        return Command.of(SRANDMEMBER, key, Arguments.count("count", count)).as(Replies.set(Replies::bytes));
    }

    /** Counts the members of the intersection of {@code keys}. Requires at least one key. Redis 7.0 or later. */
    public static Command<Long> intersectionSize(String... keys) {
        return Arguments.of(keys.length).addEach("keys", keys).to(SINTERCARD);
    }

    /** Same command as {@link #intersectionSize(String...)}, with binary keys. */
    public static Command<Long> intersectionSize(byte[]... keys) {
        return Arguments.of(keys.length).addEach("keys", keys).to(SINTERCARD);
    }

    /**
     * Counts the members of the intersection of {@code keys}, and stops at {@code limit}. Requires at least one key.
     *
     * @param limit 1 or more
     */
    public static Command<Long> intersectionSize(long limit, String... keys) {
        return Arguments.of(keys.length)
                .addEach("keys", keys)
                .add("LIMIT")
                .add(Arguments.count("limit", limit))
                .to(SINTERCARD);
    }

    /** Same command as {@link #intersectionSize(long, String...)}, with binary keys. */
    public static Command<Long> intersectionSize(long limit, byte[]... keys) {
        return Arguments.of(keys.length)
                .addEach("keys", keys)
                .add("LIMIT")
                .add(Arguments.count("limit", limit))
                .to(SINTERCARD);
    }

    /**
     * Stores the {@linkplain #intersection intersection} of {@code keys} in {@code destination}. Overwrites an
     * existing key.
     */
    public static Command<Long> storeIntersection(String destination, String... keys) {
        return Arguments.of(destination).addEach("keys", keys).to(SINTERSTORE);
    }

    /** Same command as {@link #storeIntersection(String, String...)}, with binary keys. */
    public static Command<Long> storeIntersection(byte[] destination, byte[]... keys) {
        return Arguments.of(destination).addEach("keys", keys).to(SINTERSTORE);
    }

    /** Stores the {@linkplain #union union} of {@code keys} in {@code destination}. Overwrites an existing key. */
    public static Command<Long> storeUnion(String destination, String... keys) {
        return Arguments.of(destination).addEach("keys", keys).to(SUNIONSTORE);
    }

    /** Same command as {@link #storeUnion(String, String...)}, with binary keys. */
    public static Command<Long> storeUnion(byte[] destination, byte[]... keys) {
        return Arguments.of(destination).addEach("keys", keys).to(SUNIONSTORE);
    }

    /**
     * Stores the {@linkplain #difference difference} of {@code keys} in {@code destination}. Overwrites an existing
     * key.
     */
    public static Command<Long> storeDifference(String destination, String... keys) {
        return Arguments.of(destination).addEach("keys", keys).to(SDIFFSTORE);
    }

    /** Same command as {@link #storeDifference(String, String...)}, with binary keys. */
    public static Command<Long> storeDifference(byte[] destination, byte[]... keys) {
        return Arguments.of(destination).addEach("keys", keys).to(SDIFFSTORE);
    }
}
