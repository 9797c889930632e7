// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Commands on hash keys. Factories with {@code byte[]} parameters are binary-safe: they send and return raw bytes. */
public final class Hashes {

    /** {@code HSET key field value …}: returns the number of new fields. */
    public static final CommandSpec<Long> HSET = CommandSpec.of("HSET", Decoders.INTEGER);

    /** {@code HGET key field}: returns the value, empty if the field does not exist. */
    public static final CommandSpec<Optional<String>> HGET =
            CommandSpec.of("HGET", Decoders.OPTIONAL_TEXT).idempotently();

    /** {@code HMGET key field …}: returns the value of each field, in order. */
    public static final CommandSpec<List<Optional<String>>> HMGET =
            CommandSpec.of("HMGET", Replies.list(Decoders.OPTIONAL_TEXT)).idempotently();

    /** {@code HGETALL key}: returns all fields and values. */
    public static final CommandSpec<Map<String, String>> HGETALL =
            CommandSpec.of("HGETALL", Replies.map(Decoders.TEXT, Decoders.TEXT)).idempotently();

    /** {@code HDEL key field …}: returns the number of deleted fields. */
    public static final CommandSpec<Long> HDEL = CommandSpec.of("HDEL", Decoders.INTEGER);

    /** {@code HEXISTS key field}: returns whether the field exists. */
    public static final CommandSpec<Boolean> HEXISTS =
            CommandSpec.of("HEXISTS", Decoders.FLAG).idempotently();

    /** {@code HINCRBY key field by}: returns the sum. */
    public static final CommandSpec<Long> HINCRBY = CommandSpec.of("HINCRBY", Decoders.INTEGER);

    /** {@code HLEN key}: returns the number of fields. */
    public static final CommandSpec<Long> HLEN =
            CommandSpec.of("HLEN", Decoders.INTEGER).idempotently();

    /** {@code HKEYS key}: returns all fields. */
    public static final CommandSpec<List<String>> HKEYS =
            CommandSpec.of("HKEYS", Replies.list(Decoders.TEXT)).idempotently();

    /** {@code HVALS key}: returns all values. */
    public static final CommandSpec<List<String>> HVALS =
            CommandSpec.of("HVALS", Replies.list(Decoders.TEXT)).idempotently();

    /** {@code HSCAN key cursor [options]}: returns a page of fields and values. */
    public static final CommandSpec<ScanPage<Map<String, String>>> HSCAN = CommandSpec.of(
                    "HSCAN", Replies.page(Replies.map(Decoders.TEXT, Decoders.TEXT)))
            .idempotently();

    /** {@code HSETNX key field value}: returns whether the field was set. */
    public static final CommandSpec<Boolean> HSETNX = CommandSpec.of("HSETNX", Decoders.FLAG);

    /** {@code HINCRBYFLOAT key field by}: returns the sum. */
    public static final CommandSpec<Double> HINCRBYFLOAT = CommandSpec.of("HINCRBYFLOAT", Decoders.REAL);

    /** {@code HSTRLEN key field}: returns the length of the value in bytes. */
    public static final CommandSpec<Long> HSTRLEN =
            CommandSpec.of("HSTRLEN", Decoders.INTEGER).idempotently();

    /** {@code HRANDFIELD key}: returns a random field, empty if the key does not exist. */
    public static final CommandSpec<Optional<String>> HRANDFIELD =
            CommandSpec.of("HRANDFIELD", Decoders.OPTIONAL_TEXT).idempotently();

    private Hashes() {}

    /** Sets one field of {@code key}. Other fields are not changed. */
    public static Command<Long> set(String key, String field, String value) {
        return Command.of(HSET, key, field, value);
    }

    /** Same command as {@link #set(String, String, String)}, with a binary key, field and value. */
    public static Command<Long> set(byte[] key, byte[] field, byte[] value) {
        return Command.of(HSET, key, field, value);
    }

    /** Sets {@code fields} of {@code key}. Other fields are not changed. Requires at least one field. */
    public static Command<Long> set(String key, Map<String, String> fields) {
        return Arguments.of(key).addPairs("fields", fields).to(HSET);
    }

    /** Same command as {@link #set(String, Map)}, with a binary key, binary fields and binary values. */
    public static Command<Long> set(byte[] key, Map<byte[], byte[]> fields) {
        return Arguments.of(key).addPairs("fields", fields).to(HSET);
    }

    /** Reads one field of {@code key}. */
    public static Command<Optional<String>> get(String key, String field) {
        return Command.of(HGET, key, field);
    }

    /** Same command as {@link #get(String, String)}, with a binary key, field and value. */
    public static Command<Optional<byte[]>> get(byte[] key, byte[] field) {
        return Command.of(HGET, key, field).as(Replies::optionalBytes);
    }

    /** Reads {@code fields} of {@code key}. Requires at least one field. */
    public static Command<List<Optional<String>>> getEach(String key, String... fields) {
        return Arguments.of(key).addEach("fields", fields).to(HMGET);
    }

    /** Same command as {@link #getEach(String, String...)}, with a binary key, binary fields and binary values. */
    public static Command<List<Optional<byte[]>>> getEach(byte[] key, byte[]... fields) {
        return Arguments.of(key).addEach("fields", fields).to(HMGET).as(Replies.list(Replies::optionalBytes));
    }

    /** Reads all fields of {@code key}. The result is empty if the key does not exist. */
    public static Command<Map<String, String>> getAll(String key) {
        return Command.of(HGETALL, key);
    }

    /** Same command as {@link #getAll(String)}, with a binary key, binary fields and binary values. */
    public static Command<Map<byte[], byte[]>> getAll(byte[] key) {
        return Command.of(HGETALL, key).as(Replies.map(Replies::bytes, Replies::bytes));
    }

    /** Deletes {@code fields} of {@code key}. Requires at least one field. */
    public static Command<Long> delete(String key, String... fields) {
        return Arguments.of(key).addEach("fields", fields).to(HDEL);
    }

    /** Same command as {@link #delete(String, String...)}, with a binary key and binary fields. */
    public static Command<Long> delete(byte[] key, byte[]... fields) {
        return Arguments.of(key).addEach("fields", fields).to(HDEL);
    }

    /** Returns whether {@code key} has {@code field}. */
    public static Command<Boolean> contains(String key, String field) {
        return Command.of(HEXISTS, key, field);
    }

    /** Same command as {@link #contains(String, String)}, with a binary key and field. */
    public static Command<Boolean> contains(byte[] key, byte[] field) {
        return Command.of(HEXISTS, key, field);
    }

    /** Adds {@code by} to {@code field} of {@code key}. */
    public static Command<Long> increment(String key, String field, long by) {
        return Command.of(HINCRBY, key, field, by);
    }

    /** Same command as {@link #increment(String, String, long)}, with a binary key and field. */
    public static Command<Long> increment(byte[] key, byte[] field, long by) {
        return Command.of(HINCRBY, key, field, by);
    }

    /** Counts the fields of {@code key}, 0 if the key does not exist. */
    public static Command<Long> size(String key) {
        return Command.of(HLEN, key);
    }

    /** Same command as {@link #size(String)}, with a binary key. */
    public static Command<Long> size(byte[] key) {
        return Command.of(HLEN, key);
    }

    /** Reads the names of all fields of {@code key}. */
    public static Command<List<String>> fields(String key) {
        return Command.of(HKEYS, key);
    }

    /** Same command as {@link #fields(String)}, with a binary key and binary fields. */
    public static Command<List<byte[]>> fields(byte[] key) {
        return Command.of(HKEYS, key).as(Replies.list(Replies::bytes));
    }

    /** Reads the values of all fields of {@code key}. */
    public static Command<List<String>> values(String key) {
        return Command.of(HVALS, key);
    }

    /** Same command as {@link #values(String)}, with a binary key and binary values. */
    public static Command<List<byte[]>> values(byte[] key) {
        return Command.of(HVALS, key).as(Replies.list(Replies::bytes));
    }

    /**
     * Reads one page of the fields of {@code key}.
     *
     * @param cursor {@link ScanPage#START} for the first page, then the cursor of the previous page
     */
    public static Command<ScanPage<Map<String, String>>> scan(String key, String cursor, ScanOptions options) {
        return options.addTo(Arguments.of(key), cursor).to(HSCAN);
    }

    /**
     * Same command as {@link #scan(String, String, ScanOptions)}, with a binary key, binary fields and binary values.
     */
    public static Command<ScanPage<Map<byte[], byte[]>>> scan(byte[] key, String cursor, ScanOptions options) {
        return options.addTo(Arguments.of(key), cursor)
                .to(HSCAN)
                .as(Replies.page(Replies.map(Replies::bytes, Replies::bytes)));
    }

    /** Sets one field of {@code key} if the field does not exist. Returns whether the field was set. */
    public static Command<Boolean> setIfAbsent(String key, String field, String value) {
        return Command.of(HSETNX, key, field, value);
    }

    /** Same command as {@link #setIfAbsent(String, String, String)}, with a binary key, field and value. */
    public static Command<Boolean> setIfAbsent(byte[] key, byte[] field, byte[] value) {
        return Command.of(HSETNX, key, field, value);
    }

    /** Adds {@code by}, a finite number, to the number in {@code field} of {@code key}. */
    public static Command<Double> incrementReal(String key, String field, double by) {
        return Command.of(HINCRBYFLOAT, key, field, Arguments.finite("by", by));
    }

    /** Same command as {@link #incrementReal(String, String, double)}, with a binary key and field. */
    public static Command<Double> incrementReal(byte[] key, byte[] field, double by) {
        return Command.of(HINCRBYFLOAT, key, field, Arguments.finite("by", by));
    }

    /** Reads the length of the value of {@code field} in bytes, 0 if the field does not exist. */
    public static Command<Long> length(String key, String field) {
        return Command.of(HSTRLEN, key, field);
    }

    /** Same command as {@link #length(String, String)}, with a binary key and field. */
    public static Command<Long> length(byte[] key, byte[] field) {
        return Command.of(HSTRLEN, key, field);
    }

    /** Reads the name of a random field of {@code key}. */
    public static Command<Optional<String>> random(String key) {
        return Command.of(HRANDFIELD, key);
    }

    /** Same command as {@link #random(String)}, with a binary key and field. */
    public static Command<Optional<byte[]>> random(byte[] key) {
        return Command.of(HRANDFIELD, key).as(Replies::optionalBytes);
    }

    /**
     * Reads up to {@code count} random fields of {@code key} with their values. No field is returned twice.
     *
     * @param count 1 or more
     */
    public static Command<Map<String, String>> random(String key, long count) {
        return Command.of(HRANDFIELD, key, Arguments.count("count", count), "WITHVALUES")
                .as(Replies.map(Decoders.TEXT, Decoders.TEXT));
    }

    /** Same command as {@link #random(String, long)}, with a binary key, binary fields and binary values. */
    public static Command<Map<byte[], byte[]>> random(byte[] key, long count) {
        return Command.of(HRANDFIELD, key, Arguments.count("count", count), "WITHVALUES")
                .as(Replies.map(Replies::bytes, Replies::bytes));
    }
}
