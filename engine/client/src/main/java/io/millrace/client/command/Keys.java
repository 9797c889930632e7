// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import io.millrace.client.exception.UnexpectedReplyException;
import io.millrace.resp.Reply;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Commands on keys of any type. */
public final class Keys {

    /** {@code DEL key …}: returns the number of deleted keys. */
    public static final CommandSpec<Long> DEL = CommandSpec.of("DEL", Decoders.INTEGER);

    /** {@code UNLINK key …}: returns the number of deleted keys. */
    public static final CommandSpec<Long> UNLINK = CommandSpec.of("UNLINK", Decoders.INTEGER);

    /** {@code EXISTS key …}: returns the number of existing keys. */
    public static final CommandSpec<Long> EXISTS =
            CommandSpec.of("EXISTS", Decoders.INTEGER).idempotently();

    /** {@code PEXPIRE key milliseconds}: returns whether the key exists. */
    public static final CommandSpec<Boolean> PEXPIRE = CommandSpec.of("PEXPIRE", Decoders.FLAG);

    /** {@code PTTL key}: returns the remaining time to live. */
    public static final CommandSpec<TimeToLive> PTTL =
            CommandSpec.of("PTTL", Keys::timeToLive).idempotently();

    /** {@code PERSIST key}: returns whether an expiry was removed. */
    public static final CommandSpec<Boolean> PERSIST = CommandSpec.of("PERSIST", Decoders.FLAG);

    /** {@code TYPE key}: returns the type, such as {@code hash}; {@code none} if the key does not exist. */
    public static final CommandSpec<String> TYPE =
            CommandSpec.of("TYPE", Decoders.TEXT).idempotently();

    /** {@code RENAME key newKey}: returns {@code OK}. */
    public static final CommandSpec<String> RENAME = CommandSpec.of("RENAME", Decoders.TEXT);

    /** {@code SCAN cursor [options]}: returns a page of keys. */
    public static final CommandSpec<ScanPage<List<String>>> SCAN =
            CommandSpec.of("SCAN", Replies.page(Replies.list(Decoders.TEXT))).idempotently();

    /** {@code DUMP key}: returns the value in the server's serialization format. */
    public static final CommandSpec<Optional<byte[]>> DUMP =
            CommandSpec.of("DUMP", Replies::optionalBytes).idempotently();

    /** {@code RESTORE key ttl payload [options]}: returns {@code OK}. */
    public static final CommandSpec<String> RESTORE = CommandSpec.of("RESTORE", Decoders.TEXT);

    /** {@code OBJECT ENCODING key}: returns the internal encoding of the value, such as {@code listpack}. */
    public static final CommandSpec<Optional<String>> OBJECT_ENCODING =
            CommandSpec.of("OBJECT ENCODING", Decoders.OPTIONAL_TEXT).idempotently();

    /**
     * {@code MEMORY USAGE key [options]}: returns the size of the key and its value in the server's memory, in bytes.
     */
    public static final CommandSpec<Optional<Long>> MEMORY_USAGE =
            CommandSpec.of("MEMORY USAGE", Replies.optional(Decoders.INTEGER)).idempotently();

    /** {@code RENAMENX key newKey}: returns whether the key was renamed. */
    public static final CommandSpec<Boolean> RENAMENX = CommandSpec.of("RENAMENX", Decoders.FLAG);

    /** {@code COPY source destination [options]}: returns whether the value was copied. */
    public static final CommandSpec<Boolean> COPY = CommandSpec.of("COPY", Decoders.FLAG);

    /** {@code TOUCH key …}: returns the number of existing keys. */
    public static final CommandSpec<Long> TOUCH =
            CommandSpec.of("TOUCH", Decoders.INTEGER).idempotently();

    /** {@code OBJECT IDLETIME key}: returns the time since the last use of the key, in whole seconds. */
    public static final CommandSpec<Optional<Duration>> OBJECT_IDLETIME = CommandSpec.of(
                    "OBJECT IDLETIME", Replies.optional(reply -> Duration.ofSeconds(Replies.integer(reply))))
            .idempotently();

    /** {@code RANDOMKEY}: returns a random key, empty if there is no key. */
    public static final CommandSpec<Optional<String>> RANDOMKEY =
            CommandSpec.of("RANDOMKEY", Decoders.OPTIONAL_TEXT).idempotently();

    private Keys() {}

    /** Deletes {@code keys}. Requires at least one key. */
    public static Command<Long> delete(String... keys) {
        return Arguments.of().addEach("keys", keys).to(DEL);
    }

    /** Same command as {@link #delete(String...)}, with binary keys. */
    public static Command<Long> delete(byte[]... keys) {
        return Arguments.of().addEach("keys", keys).to(DEL);
    }

    /** Deletes {@code keys}. The server frees the memory in the background. Requires at least one key. */
    public static Command<Long> unlink(String... keys) {
        return Arguments.of().addEach("keys", keys).to(UNLINK);
    }

    /** Same command as {@link #unlink(String...)}, with binary keys. */
    public static Command<Long> unlink(byte[]... keys) {
        return Arguments.of().addEach("keys", keys).to(UNLINK);
    }

    /**
     * Counts the existing keys among {@code keys}. A key that is passed twice counts twice. Requires at least one key.
     */
    public static Command<Long> exist(String... keys) {
        return Arguments.of().addEach("keys", keys).to(EXISTS);
    }

    /** Same command as {@link #exist(String...)}, with binary keys. */
    public static Command<Long> exist(byte[]... keys) {
        return Arguments.of().addEach("keys", keys).to(EXISTS);
    }

    /**
     * Sets the expiry of {@code key} to {@code ttl} from now. Replaces an earlier expiry.
     *
     * @param ttl 1 ms to 36,500 days
     */
    public static Command<Boolean> expire(String key, Duration ttl) {
        return Command.of(PEXPIRE, key, Arguments.ttlMillis(ttl));
    }

    /** Same command as {@link #expire(String, Duration)}, with a binary key. */
    public static Command<Boolean> expire(byte[] key, Duration ttl) {
        return Command.of(PEXPIRE, key, Arguments.ttlMillis(ttl));
    }

    /** Reads the remaining time to live of {@code key}. */
    public static Command<TimeToLive> timeToLive(String key) {
        return Command.of(PTTL, key);
    }

    /** Same command as {@link #timeToLive(String)}, with a binary key. */
    public static Command<TimeToLive> timeToLive(byte[] key) {
        return Command.of(PTTL, key);
    }

    /** Removes the expiry of {@code key}. */
    public static Command<Boolean> persist(String key) {
        return Command.of(PERSIST, key);
    }

    /** Same command as {@link #persist(String)}, with a binary key. */
    public static Command<Boolean> persist(byte[] key) {
        return Command.of(PERSIST, key);
    }

    /** Reads the type of {@code key}. */
    public static Command<String> type(String key) {
        return Command.of(TYPE, key);
    }

    /** Same command as {@link #type(String)}, with a binary key. */
    public static Command<String> type(byte[] key) {
        return Command.of(TYPE, key);
    }

    /**
     * Renames {@code key} to {@code newKey}, and overwrites an existing {@code newKey}. The server returns an error if
     * {@code key} does not exist.
     */
    public static Command<String> rename(String key, String newKey) {
        return Command.of(RENAME, key, newKey);
    }

    /** Same command as {@link #rename(String, String)}, with binary keys. */
    public static Command<String> rename(byte[] key, byte[] newKey) {
        return Command.of(RENAME, key, newKey);
    }

    /**
     * Reads one page of keys. For binary keys, add {@code as(Replies.page(Replies.list(Replies::bytes)))}.
     *
     * @param cursor {@link ScanPage#START} for the first page, then the cursor of the previous page
     */
    public static Command<ScanPage<List<String>>> scan(String cursor, ScanOptions options) {
        return options.addTo(Arguments.of(), cursor).to(SCAN);
    }

    /**
     * Reads the value of {@code key} as a payload for {@link #restore}. The server that restores the payload must have
     * the same version or a newer version.
     */
    public static Command<Optional<byte[]>> dump(String key) {
        return Command.of(DUMP, key);
    }

    /** Same command as {@link #dump(String)}, with a binary key. */
    public static Command<Optional<byte[]>> dump(byte[] key) {
        return Command.of(DUMP, key);
    }

    /** Creates {@code key} from a payload, without an expiry. The server returns an error if the key exists. */
    public static Command<String> restore(String key, byte[] payload) {
        return Command.of(RESTORE, key, 0, payload);
    }

    /** Same command as {@link #restore(String, byte[])}, with a binary key. */
    public static Command<String> restore(byte[] key, byte[] payload) {
        return Command.of(RESTORE, key, 0, payload);
    }

    /** Creates {@code key} from a payload, without an expiry. Overwrites an existing key. */
    public static Command<String> replace(String key, byte[] payload) {
        return Command.of(RESTORE, key, 0, payload, "REPLACE");
    }

    /** Same command as {@link #replace(String, byte[])}, with a binary key. */
    public static Command<String> replace(byte[] key, byte[] payload) {
        return Command.of(RESTORE, key, 0, payload, "REPLACE");
    }

    /** Reads the server's internal encoding of the value of {@code key}, empty if the key does not exist. */
    public static Command<Optional<String>> encoding(String key) {
        return Command.of(OBJECT_ENCODING, key);
    }

    /** Same command as {@link #encoding(String)}, with a binary key. */
    public static Command<Optional<String>> encoding(byte[] key) {
        return Command.of(OBJECT_ENCODING, key);
    }

    /**
     * Estimates how many bytes of the server's memory {@code key} and its value use, empty if the key does not exist.
     */
    public static Command<Optional<Long>> memoryUsage(String key) {
        return Command.of(MEMORY_USAGE, key);
    }

    /** Same command as {@link #memoryUsage(String)}, with a binary key. */
    public static Command<Optional<Long>> memoryUsage(byte[] key) {
        return Command.of(MEMORY_USAGE, key);
    }

    /**
     * Renames {@code key} to {@code newKey} if {@code newKey} does not exist. Returns whether the key was renamed. The
     * server returns an error if {@code key} does not exist.
     */
    public static Command<Boolean> renameIfAbsent(String key, String newKey) {
        return Command.of(RENAMENX, key, newKey);
    }

    /** Same command as {@link #renameIfAbsent(String, String)}, with binary keys. */
    public static Command<Boolean> renameIfAbsent(byte[] key, byte[] newKey) {
        return Command.of(RENAMENX, key, newKey);
    }

    /**
     * Copies the value and the expiry of {@code source} to {@code destination}, if {@code destination} does not exist.
     * Returns whether the value was copied.
     */
    public static Command<Boolean> copy(String source, String destination) {
        return Command.of(COPY, source, destination);
    }

    /** Same command as {@link #copy(String, String)}, with binary keys. */
    public static Command<Boolean> copy(byte[] source, byte[] destination) {
        return Command.of(COPY, source, destination);
    }

    /** Copies as {@link #copy(String, String)} does. Overwrites an existing {@code destination}. */
    public static Command<Boolean> copyReplacing(String source, String destination) {
        return Command.of(COPY, source, destination, "REPLACE");
    }

    /** Same command as {@link #copyReplacing(String, String)}, with binary keys. */
    public static Command<Boolean> copyReplacing(byte[] source, byte[] destination) {
        return Command.of(COPY, source, destination, "REPLACE");
    }

    /**
     * Marks {@code keys} as used at this moment, for the eviction of keys. Returns how many of the keys exist.
     * Requires at least one key.
     */
    public static Command<Long> touch(String... keys) {
        return Arguments.of().addEach("keys", keys).to(TOUCH);
    }

    /** Same command as {@link #touch(String...)}, with binary keys. */
    public static Command<Long> touch(byte[]... keys) {
        return Arguments.of().addEach("keys", keys).to(TOUCH);
    }

    /**
     * Reads the time since the last use of {@code key}, in whole seconds; empty if the key does not exist. The server
     * returns an error if its eviction policy counts uses (LFU).
     */
    public static Command<Optional<Duration>> idleTime(String key) {
        return Command.of(OBJECT_IDLETIME, key);
    }

    /** Same command as {@link #idleTime(String)}, with a binary key. */
    public static Command<Optional<Duration>> idleTime(byte[] key) {
        return Command.of(OBJECT_IDLETIME, key);
    }

    /** Reads a random key. For a binary key, add {@code as(Replies::optionalBytes)}. */
    public static Command<Optional<String>> random() {
        return Command.of(RANDOMKEY);
    }

    /**
     * Creates {@code key} from a payload, with the expiry {@code ttl} from now. The server returns an error if the key
     * exists.
     *
     * @param ttl 1 ms to 36,500 days
     */
    public static Command<String> restore(String key, byte[] payload, Duration ttl) {
        return Command.of(RESTORE, key, Arguments.ttlMillis(ttl), payload);
    }

    /** Same command as {@link #restore(String, byte[], Duration)}, with a binary key. */
    public static Command<String> restore(byte[] key, byte[] payload, Duration ttl) {
        return Command.of(RESTORE, key, Arguments.ttlMillis(ttl), payload);
    }

    /** Creates {@code key} as {@link #restore(String, byte[], Duration)} does. Overwrites an existing key. */
    public static Command<String> replace(String key, byte[] payload, Duration ttl) {
        return Command.of(RESTORE, key, Arguments.ttlMillis(ttl), payload, "REPLACE");
    }

    /** Same command as {@link #replace(String, byte[], Duration)}, with a binary key. */
    public static Command<String> replace(byte[] key, byte[] payload, Duration ttl) {
        return Command.of(RESTORE, key, Arguments.ttlMillis(ttl), payload, "REPLACE");
    }

    /**
     * Decodes the remaining time in milliseconds. -1 means that the key has no expiry, and -2 means that the key does
     * not exist.
     */
    static TimeToLive timeToLive(Reply reply) {
        long millis = Replies.integer(reply);
        if (millis < -2) {
            throw new UnexpectedReplyException("milliseconds, -1 or -2", reply);
        }
        if (millis < 0) {
            return millis == -1 ? new TimeToLive.Unlimited() : new TimeToLive.NoKey();
        }
        return new TimeToLive.Expires(Duration.ofMillis(millis));
    }
}
