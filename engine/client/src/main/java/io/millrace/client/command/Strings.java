// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import io.millrace.client.internal.range.Ranges;
import io.millrace.resp.Reply;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Commands on string keys. Factories with {@code byte[]} parameters are binary-safe: they send and return raw bytes.
 */
public final class Strings {

    /** {@code SET key value [options]}: returns {@code OK}. */
    public static final CommandSpec<String> SET = CommandSpec.of("SET", Decoders.TEXT);

    /** {@code GET key}: returns the value, empty if the key does not exist. */
    public static final CommandSpec<Optional<String>> GET =
            CommandSpec.of("GET", Decoders.OPTIONAL_TEXT).idempotently();

    /** {@code GETDEL key}: returns the deleted value. */
    public static final CommandSpec<Optional<String>> GETDEL = CommandSpec.of("GETDEL", Decoders.OPTIONAL_TEXT);

    /** {@code GETEX key [options]}: returns the value. */
    public static final CommandSpec<Optional<String>> GETEX = CommandSpec.of("GETEX", Decoders.OPTIONAL_TEXT);

    /** {@code MSET key value …}: returns {@code OK}. */
    public static final CommandSpec<String> MSET = CommandSpec.of("MSET", Decoders.TEXT);

    /** {@code MGET key …}: returns the value of each key, in order. */
    public static final CommandSpec<List<Optional<String>>> MGET =
            CommandSpec.of("MGET", Replies.list(Decoders.OPTIONAL_TEXT)).idempotently();

    /** {@code APPEND key value}: returns the new length in bytes. */
    public static final CommandSpec<Long> APPEND = CommandSpec.of("APPEND", Decoders.INTEGER);

    /** {@code STRLEN key}: returns the length in bytes. */
    public static final CommandSpec<Long> STRLEN =
            CommandSpec.of("STRLEN", Decoders.INTEGER).idempotently();

    /** {@code INCRBY key by}: returns the sum. */
    public static final CommandSpec<Long> INCRBY = CommandSpec.of("INCRBY", Decoders.INTEGER);

    /** {@code DECRBY key by}: returns the difference. */
    public static final CommandSpec<Long> DECRBY = CommandSpec.of("DECRBY", Decoders.INTEGER);

    /**
     * {@code INCRBYFLOAT key by}: returns the sum. The server computes the sum with more digits than a {@code double}
     * has.
     */
    public static final CommandSpec<Double> INCRBYFLOAT = CommandSpec.of("INCRBYFLOAT", Decoders.REAL);

    /** {@code GETRANGE key first last}: returns the bytes in this range, empty if the range contains no bytes. */
    public static final CommandSpec<String> GETRANGE =
            CommandSpec.of("GETRANGE", Decoders.TEXT).idempotently();

    /** {@code SETRANGE key offset value}: returns the new length in bytes. */
    public static final CommandSpec<Long> SETRANGE = CommandSpec.of("SETRANGE", Decoders.INTEGER);

    /** {@code MSETNX key value …}: returns whether the keys were set. */
    public static final CommandSpec<Boolean> MSETNX = CommandSpec.of("MSETNX", Decoders.FLAG);

    /** {@code LCS key key [options]}: returns the longest common subsequence. */
    public static final CommandSpec<String> LCS =
            CommandSpec.of("LCS", Decoders.TEXT).idempotently();

    private static final long LAST_OFFSET = (1L << 29) - 1;

    private Strings() {}

    /** Sets {@code key} to {@code value}, without an expiry. Overwrites a value of any type. */
    public static Command<String> set(String key, String value) {
        return Command.of(SET, key, value);
    }

    /** Same command as {@link #set(String, String)}, with a binary key and value. */
    public static Command<String> set(byte[] key, byte[] value) {
        return Command.of(SET, key, value);
    }

    /** Sets {@code key} to {@code value} if the condition of {@code options} holds. Returns whether the key was set. */
    public static Command<Boolean> set(String key, String value, SetOptions options) {
        return options.addTo(Arguments.of(key, value)).to(SET).as(Strings::wasSet);
    }

    /** Same command as {@link #set(String, String, SetOptions)}, with a binary key and value. */
    public static Command<Boolean> set(byte[] key, byte[] value, SetOptions options) {
        return options.addTo(Arguments.of(key, value)).to(SET).as(Strings::wasSet);
    }

    /**
     * Sets {@code key} to {@code value} if the condition of {@code options} holds. Returns the old value. A condition
     * needs Redis 7.0 or later.
     */
    public static Command<Optional<String>> getAndSet(String key, String value, SetOptions options) {
        return options.addTo(Arguments.of(key, value, "GET")).to(SET).as(Decoders.OPTIONAL_TEXT);
    }

    /** Same command as {@link #getAndSet(String, String, SetOptions)}, with a binary key and value. */
    public static Command<Optional<byte[]>> getAndSet(byte[] key, byte[] value, SetOptions options) {
        return options.addTo(Arguments.of(key, value, "GET")).to(SET).as(Replies::optionalBytes);
    }

    /** Reads {@code key}. */
    public static Command<Optional<String>> get(String key) {
        return Command.of(GET, key);
    }

    /** Same command as {@link #get(String)}, with a binary key and value. */
    public static Command<Optional<byte[]>> get(byte[] key) {
        return Command.of(GET, key).as(Replies::optionalBytes);
    }

    /** Reads and deletes {@code key}. */
    public static Command<Optional<String>> getAndDelete(String key) {
        return Command.of(GETDEL, key);
    }

    /** Same command as {@link #getAndDelete(String)}, with a binary key and value. */
    public static Command<Optional<byte[]>> getAndDelete(byte[] key) {
        return Command.of(GETDEL, key).as(Replies::optionalBytes);
    }

    /**
     * Reads {@code key} and sets its expiry to {@code ttl} from now.
     *
     * @param ttl 1 ms to 36,500 days
     */
    public static Command<Optional<String>> getAndExpire(String key, Duration ttl) {
        return Command.of(GETEX, key, "PX", Arguments.ttlMillis(ttl));
    }

    /** Same command as {@link #getAndExpire(String, Duration)}, with a binary key and value. */
    public static Command<Optional<byte[]>> getAndExpire(byte[] key, Duration ttl) {
        return Command.of(GETEX, key, "PX", Arguments.ttlMillis(ttl)).as(Replies::optionalBytes);
    }

    /** Sets all keys of {@code values} atomically and without an expiry. Requires at least one key. */
    public static Command<String> setAll(Map<String, String> values) {
        return Arguments.of().addPairs("values", values).to(MSET);
    }

    /** Same command as {@link #setAll(Map)}, with binary keys and values. */
    public static Command<String> setAllBytes(Map<byte[], byte[]> values) {
        return Arguments.of().addPairs("values", values).to(MSET);
    }

    /**
     * Reads {@code keys}. The value is empty for a missing key and for a key of another type. Requires at least one
     * key.
     */
    public static Command<List<Optional<String>>> getAll(String... keys) {
        return Arguments.of().addEach("keys", keys).to(MGET);
    }

    /** Same command as {@link #getAll(String...)}, with binary keys and values. */
    public static Command<List<Optional<byte[]>>> getAll(byte[]... keys) {
        return Arguments.of().addEach("keys", keys).to(MGET).as(Replies.list(Replies::optionalBytes));
    }

    /** Appends {@code value} to {@code key}. */
    public static Command<Long> append(String key, String value) {
        return Command.of(APPEND, key, value);
    }

    /** Same command as {@link #append(String, String)}, with a binary key and value. */
    public static Command<Long> append(byte[] key, byte[] value) {
        return Command.of(APPEND, key, value);
    }

    /** Reads the length of {@code key} in bytes, 0 if the key does not exist. */
    public static Command<Long> length(String key) {
        return Command.of(STRLEN, key);
    }

    /** Same command as {@link #length(String)}, with a binary key. */
    public static Command<Long> length(byte[] key) {
        return Command.of(STRLEN, key);
    }

    /** Adds 1 to {@code key}. */
    public static Command<Long> increment(String key) {
        return Command.of(INCRBY, key, 1);
    }

    /** Same command as {@link #increment(String)}, with a binary key. */
    public static Command<Long> increment(byte[] key) {
        return Command.of(INCRBY, key, 1);
    }

    /** Adds {@code by} to {@code key}. */
    public static Command<Long> increment(String key, long by) {
        return Command.of(INCRBY, key, by);
    }

    /** Same command as {@link #increment(String, long)}, with a binary key. */
    public static Command<Long> increment(byte[] key, long by) {
        return Command.of(INCRBY, key, by);
    }

    /** Subtracts {@code by} from {@code key}. */
    public static Command<Long> decrement(String key, long by) {
        return Command.of(DECRBY, key, by);
    }

    /** Same command as {@link #decrement(String, long)}, with a binary key. */
    public static Command<Long> decrement(byte[] key, long by) {
        return Command.of(DECRBY, key, by);
    }

    /** Adds {@code by}, a finite number, to the number in {@code key}. */
    public static Command<Double> incrementReal(String key, double by) {
        return Command.of(INCRBYFLOAT, key, Arguments.finite("by", by));
    }

    /** Same command as {@link #incrementReal(String, double)}, with a binary key. */
    public static Command<Double> incrementReal(byte[] key, double by) {
        return Command.of(INCRBYFLOAT, key, Arguments.finite("by", by));
    }

    /** Reads the bytes of {@code key} from {@code first} to {@code last}, both included. -1 is the last byte. */
    public static Command<String> getRange(String key, long first, long last) {
        return Command.of(GETRANGE, key, first, last);
    }

    /** Same command as {@link #getRange(String, long, long)}, with a binary key and value. */
    public static Command<byte[]> getRange(byte[] key, long first, long last) {
        return Command.of(GETRANGE, key, first, last).as(Replies::bytes);
    }

    /**
     * Overwrites the bytes of {@code key} from {@code offset} on. Fills a gap before {@code offset} with zero bytes.
     *
     * @param offset offset in bytes, 0 to 536,870,911
     */
    public static Command<Long> setRange(String key, long offset, String value) {
        return Command.of(SETRANGE, key, checked(offset), value);
    }

    /** Same command as {@link #setRange(String, long, String)}, with a binary key and value. */
    public static Command<Long> setRange(byte[] key, long offset, byte[] value) {
        return Command.of(SETRANGE, key, checked(offset), value);
    }

    /**
     * Sets all keys of {@code values} if none of the keys exists. Returns whether the keys were set. Requires at
     * least one key.
     */
    public static Command<Boolean> setAllIfAbsent(Map<String, String> values) {
        return Arguments.of().addPairs("values", values).to(MSETNX);
    }

    /** Same command as {@link #setAllIfAbsent(Map)}, with binary keys and values. */
    public static Command<Boolean> setAllIfAbsentBytes(Map<byte[], byte[]> values) {
        return Arguments.of().addPairs("values", values).to(MSETNX);
    }

    /**
     * Reads the longest common subsequence of the values of two keys. A missing key counts as an empty value. Redis
     * 7.0 or later.
     */
    public static Command<String> commonSubsequence(String one, String other) {
        return Command.of(LCS, one, other);
    }

    /** Same command as {@link #commonSubsequence(String, String)}, with binary keys and values. */
    public static Command<byte[]> commonSubsequence(byte[] one, byte[] other) {
        return Command.of(LCS, one, other).as(Replies::bytes);
    }

    /** Reads the length of {@link #commonSubsequence(String, String)} in bytes. */
    public static Command<Long> commonSubsequenceLength(String one, String other) {
        return Command.of(LCS, one, other, "LEN").as(Decoders.INTEGER);
    }

    /** Same command as {@link #commonSubsequenceLength(String, String)}, with binary keys. */
    public static Command<Long> commonSubsequenceLength(byte[] one, byte[] other) {
        return Command.of(LCS, one, other, "LEN").as(Decoders.INTEGER);
    }

    /** Reads {@code key} and changes its expiry. {@link Expiry#KEEP} leaves the expiry unchanged. */
    public static Command<Optional<String>> getAndExpire(String key, Expiry expiry) {
        return ExpiryArguments.addToRead(Arguments.of(key), expiry).to(GETEX);
    }

    /** Same command as {@link #getAndExpire(String, Expiry)}, with a binary key and value. */
    public static Command<Optional<byte[]>> getAndExpire(byte[] key, Expiry expiry) {
        return ExpiryArguments.addToRead(Arguments.of(key), expiry).to(GETEX).as(Replies::optionalBytes);
    }

    private static long checked(long offset) {
        Ranges.check("offset", offset, 0L, LAST_OFFSET);
        return offset;
    }

    private static boolean wasSet(Reply reply) {
        return Replies.optionalText(reply).isPresent();
    }
}
