// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Commands on the expiry of single fields of a hash. Redis 7.4 or later, Valkey 9.0 or later. {@code HGETEX} and
 * {@code HSETEX} need Redis 8.0 or Valkey 9.0, {@code HGETDEL} needs Redis 8.0.
 */
public final class HashFields {

    /** {@code HPEXPIRE key milliseconds FIELDS numfields field …}: returns a result for each field. */
    public static final CommandSpec<List<FieldExpiryResult>> HPEXPIRE =
            CommandSpec.of("HPEXPIRE", Replies.list(FieldExpiryResult::of));

    /** {@code HPEXPIREAT key milliseconds FIELDS numfields field …}: returns a result for each field. */
    public static final CommandSpec<List<FieldExpiryResult>> HPEXPIREAT =
            CommandSpec.of("HPEXPIREAT", Replies.list(FieldExpiryResult::of));

    /** {@code HPTTL key FIELDS numfields field …}: returns the remaining time to live of each field. */
    public static final CommandSpec<List<TimeToLive>> HPTTL =
            CommandSpec.of("HPTTL", Replies.list(Keys::timeToLive)).idempotently();

    /** {@code HPEXPIRETIME key FIELDS numfields field …}: returns the time of the expiry of each field. */
    public static final CommandSpec<List<Optional<Instant>>> HPEXPIRETIME =
            CommandSpec.of("HPEXPIRETIME", Replies.list(KeyExpiry::expiryTime)).idempotently();

    /** {@code HPERSIST key FIELDS numfields field …}: returns a result for each field. */
    public static final CommandSpec<List<FieldExpiryResult>> HPERSIST =
            CommandSpec.of("HPERSIST", Replies.list(FieldExpiryResult::of));

    /** {@code HGETDEL key FIELDS numfields field …}: returns the deleted value of each field. */
    public static final CommandSpec<List<Optional<String>>> HGETDEL =
            CommandSpec.of("HGETDEL", Replies.list(Decoders.OPTIONAL_TEXT));

    /** {@code HGETEX key [options] FIELDS numfields field …}: returns the value of each field. */
    public static final CommandSpec<List<Optional<String>>> HGETEX =
            CommandSpec.of("HGETEX", Replies.list(Decoders.OPTIONAL_TEXT));

    /** {@code HSETEX key [options] FIELDS numfields field value …}: returns whether the fields were set. */
    public static final CommandSpec<Boolean> HSETEX = CommandSpec.of("HSETEX", Decoders.FLAG);

    private HashFields() {}

    /**
     * Sets the expiry of {@code fields} to {@code ttl} from now. Requires at least one field.
     *
     * @param ttl 1 ms to 36,500 days
     */
    public static Command<List<FieldExpiryResult>> expire(String key, Duration ttl, String... fields) {
        return Arguments.of(key, Arguments.ttlMillis(ttl))
                .add("FIELDS")
                .add(fields.length)
                .addEach("fields", fields)
                .to(HPEXPIRE);
    }

    /** Same command as {@link #expire(String, Duration, String...)}, with a binary key and binary fields. */
    public static Command<List<FieldExpiryResult>> expire(byte[] key, Duration ttl, byte[]... fields) {
        return Arguments.of(key, Arguments.ttlMillis(ttl))
                .add("FIELDS")
                .add(fields.length)
                .addEach("fields", fields)
                .to(HPEXPIRE);
    }

    /**
     * Sets the expiry of each of {@code fields} as {@link #expire(String, Duration, String...)} does, if {@code
     * condition} holds for the field.
     */
    public static Command<List<FieldExpiryResult>> expire(
            String key, Duration ttl, ExpireCondition condition, String... fields) {
        return Arguments.of(key, Arguments.ttlMillis(ttl), condition.option())
                .add("FIELDS")
                .add(fields.length)
                .addEach("fields", fields)
                .to(HPEXPIRE);
    }

    /**
     * Same command as {@link #expire(String, Duration, ExpireCondition, String...)}, with a binary key and binary
     * fields.
     */
    public static Command<List<FieldExpiryResult>> expire(
            byte[] key, Duration ttl, ExpireCondition condition, byte[]... fields) {
        return Arguments.of(key, Arguments.ttlMillis(ttl), condition.option())
                .add("FIELDS")
                .add(fields.length)
                .addEach("fields", fields)
                .to(HPEXPIRE);
    }

    /**
     * Sets the expiry of {@code fields} to {@code time}. A time in the past deletes the fields. Requires at least one
     * field.
     *
     * @param time from 1970-01-01T00:00:00.001Z to the end of the year 9999, in whole milliseconds
     */
    public static Command<List<FieldExpiryResult>> expireAt(String key, Instant time, String... fields) {
        return Arguments.of(key, Arguments.epochMillis(time))
                .add("FIELDS")
                .add(fields.length)
                .addEach("fields", fields)
                .to(HPEXPIREAT);
    }

    /** Same command as {@link #expireAt(String, Instant, String...)}, with a binary key and binary fields. */
    public static Command<List<FieldExpiryResult>> expireAt(byte[] key, Instant time, byte[]... fields) {
        return Arguments.of(key, Arguments.epochMillis(time))
                .add("FIELDS")
                .add(fields.length)
                .addEach("fields", fields)
                .to(HPEXPIREAT);
    }

    /**
     * Reads the remaining times to live of {@code fields}. {@link TimeToLive.NoKey} stands for a missing field.
     * Requires at least one field.
     */
    public static Command<List<TimeToLive>> timeToLive(String key, String... fields) {
        return Arguments.of(key)
                .add("FIELDS")
                .add(fields.length)
                .addEach("fields", fields)
                .to(HPTTL);
    }

    /** Same command as {@link #timeToLive(String, String...)}, with a binary key and binary fields. */
    public static Command<List<TimeToLive>> timeToLive(byte[] key, byte[]... fields) {
        return Arguments.of(key)
                .add("FIELDS")
                .add(fields.length)
                .addEach("fields", fields)
                .to(HPTTL);
    }

    /**
     * Reads the times at which {@code fields} expire, empty for a missing field and for a field without an expiry.
     * Requires at least one field.
     */
    public static Command<List<Optional<Instant>>> expiryTime(String key, String... fields) {
        return Arguments.of(key)
                .add("FIELDS")
                .add(fields.length)
                .addEach("fields", fields)
                .to(HPEXPIRETIME);
    }

    /** Same command as {@link #expiryTime(String, String...)}, with a binary key and binary fields. */
    public static Command<List<Optional<Instant>>> expiryTime(byte[] key, byte[]... fields) {
        return Arguments.of(key)
                .add("FIELDS")
                .add(fields.length)
                .addEach("fields", fields)
                .to(HPEXPIRETIME);
    }

    /** Removes the expiry of {@code fields}. Requires at least one field. */
    public static Command<List<FieldExpiryResult>> persist(String key, String... fields) {
        return Arguments.of(key)
                .add("FIELDS")
                .add(fields.length)
                .addEach("fields", fields)
                .to(HPERSIST);
    }

    /** Same command as {@link #persist(String, String...)}, with a binary key and binary fields. */
    public static Command<List<FieldExpiryResult>> persist(byte[] key, byte[]... fields) {
        return Arguments.of(key)
                .add("FIELDS")
                .add(fields.length)
                .addEach("fields", fields)
                .to(HPERSIST);
    }

    /** Reads and deletes {@code fields}. Requires at least one field. */
    public static Command<List<Optional<String>>> getAndDelete(String key, String... fields) {
        return Arguments.of(key)
                .add("FIELDS")
                .add(fields.length)
                .addEach("fields", fields)
                .to(HGETDEL);
    }

    /**
     * Same command as {@link #getAndDelete(String, String...)}, with a binary key and binary fields and binary
     * values.
     */
    public static Command<List<Optional<byte[]>>> getAndDelete(byte[] key, byte[]... fields) {
        return Arguments.of(key)
                .add("FIELDS")
                .add(fields.length)
                .addEach("fields", fields)
                .to(HGETDEL)
                .as(Replies.list(Replies::optionalBytes));
    }

    /** Reads {@code fields} and changes their expiry. Requires at least one field. */
    public static Command<List<Optional<String>>> getAndExpire(String key, Expiry expiry, String... fields) {
        return ExpiryArguments.addToRead(Arguments.of(key), expiry)
                .add("FIELDS")
                .add(fields.length)
                .addEach("fields", fields)
                .to(HGETEX);
    }

    /**
     * Same command as {@link #getAndExpire(String, Expiry, String...)}, with a binary key and binary fields and
     * binary values.
     */
    public static Command<List<Optional<byte[]>>> getAndExpire(byte[] key, Expiry expiry, byte[]... fields) {
        return ExpiryArguments.addToRead(Arguments.of(key), expiry)
                .add("FIELDS")
                .add(fields.length)
                .addEach("fields", fields)
                .to(HGETEX)
                .as(Replies.list(Replies::optionalBytes));
    }

    /** Sets {@code fields} of {@code key} and their expiry. Requires at least one field. */
    public static Command<Boolean> set(String key, Expiry expiry, Map<String, String> fields) {
        return ExpiryArguments.addToWrite(Arguments.of(key), expiry)
                .add("FIELDS")
                .add(fields.size())
                .addPairs("fields", fields)
                .to(HSETEX);
    }

    /** Same command as {@link #set(String, Expiry, Map)}, with a binary key and binary fields and binary values. */
    public static Command<Boolean> set(byte[] key, Expiry expiry, Map<byte[], byte[]> fields) {
        return ExpiryArguments.addToWrite(Arguments.of(key), expiry)
                .add("FIELDS")
                .add(fields.size())
                .addPairs("fields", fields)
                .to(HSETEX);
    }
}
