// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.resp.Reply;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Commands on keys of any type. */
public final class Keys {

    /** {@code DEL key …}: how many were there. */
    public static final CommandSpec<Long> DEL = CommandSpec.of("DEL", Replies::integer);

    /** {@code UNLINK key …}: how many were there. */
    public static final CommandSpec<Long> UNLINK = CommandSpec.of("UNLINK", Replies::integer);

    /** {@code EXISTS key …}: how many are there. */
    public static final CommandSpec<Long> EXISTS =
            CommandSpec.of("EXISTS", Replies::integer).idempotently();

    /** {@code PEXPIRE key milliseconds}: whether the key is there. */
    public static final CommandSpec<Boolean> PEXPIRE = CommandSpec.of("PEXPIRE", Replies::flag);

    /** {@code PTTL key}: how long it is still there. */
    public static final CommandSpec<TimeToLive> PTTL =
            CommandSpec.of("PTTL", Keys::timeToLive).idempotently();

    /** {@code PERSIST key}: whether an expiry was taken away. */
    public static final CommandSpec<Boolean> PERSIST = CommandSpec.of("PERSIST", Replies::flag);

    /** {@code TYPE key}: such as {@code hash}; {@code none} if it is not there. */
    public static final CommandSpec<String> TYPE =
            CommandSpec.of("TYPE", Replies::text).idempotently();

    /** {@code RENAME key newKey}: answers {@code OK}. */
    public static final CommandSpec<String> RENAME = CommandSpec.of("RENAME", Replies::text);

    /** {@code SCAN cursor [options]}: a page of keys. */
    public static final CommandSpec<ScanPage<List<String>>> SCAN = CommandSpec.of(
                    "SCAN", Replies.page(Replies.list(Replies::text)))
            .withoutKey()
            .idempotently();

    /** {@code DUMP key}: its value in the server's own format. */
    public static final CommandSpec<Optional<byte[]>> DUMP =
            CommandSpec.of("DUMP", Replies::optionalBytes).idempotently();

    /** {@code RESTORE key ttl payload [options]}: answers {@code OK}. */
    public static final CommandSpec<String> RESTORE = CommandSpec.of("RESTORE", Replies::text);

    /** {@code OBJECT ENCODING key}: how the server keeps it, such as {@code listpack}. */
    public static final CommandSpec<Optional<String>> OBJECT_ENCODING =
            CommandSpec.of("OBJECT ENCODING", Replies::optionalText).idempotently();

    /** {@code MEMORY USAGE key [options]}: its bytes in the server's memory. */
    public static final CommandSpec<Optional<Long>> MEMORY_USAGE =
            CommandSpec.of("MEMORY USAGE", Replies.optional(Replies::integer)).idempotently();

    private Keys() {}

    /** Deletes {@code keys}, at least one. */
    public static Command<Long> delete(String... keys) {
        return Arguments.of().addEach("keys", keys).to(DEL);
    }

    /** The same for keys of any bytes. */
    public static Command<Long> delete(byte[]... keys) {
        return Arguments.of().addEach("keys", keys).to(DEL);
    }

    /** Deletes {@code keys}, at least one; the server frees their memory beside its work. */
    public static Command<Long> unlink(String... keys) {
        return Arguments.of().addEach("keys", keys).to(UNLINK);
    }

    /** The same for keys of any bytes. */
    public static Command<Long> unlink(byte[]... keys) {
        return Arguments.of().addEach("keys", keys).to(UNLINK);
    }

    /** How many of {@code keys}, at least one, are there; one that is named twice counts twice. */
    public static Command<Long> exist(String... keys) {
        return Arguments.of().addEach("keys", keys).to(EXISTS);
    }

    /** The same for keys of any bytes. */
    public static Command<Long> exist(byte[]... keys) {
        return Arguments.of().addEach("keys", keys).to(EXISTS);
    }

    /**
     * Lets {@code key} expire after {@code ttl}, instead of any expiry it has.
     *
     * @param ttl 1 ms to 36,500 days
     */
    public static Command<Boolean> expire(String key, Duration ttl) {
        return Command.of(PEXPIRE, key, Arguments.ttlMillis(ttl));
    }

    /** The same for a key of any bytes. */
    public static Command<Boolean> expire(byte[] key, Duration ttl) {
        return Command.of(PEXPIRE, key, Arguments.ttlMillis(ttl));
    }

    /** How long {@code key} is still there. */
    public static Command<TimeToLive> timeToLive(String key) {
        return Command.of(PTTL, key);
    }

    /** The same for a key of any bytes. */
    public static Command<TimeToLive> timeToLive(byte[] key) {
        return Command.of(PTTL, key);
    }

    /** Takes the expiry from {@code key}. */
    public static Command<Boolean> persist(String key) {
        return Command.of(PERSIST, key);
    }

    /** The same for a key of any bytes. */
    public static Command<Boolean> persist(byte[] key) {
        return Command.of(PERSIST, key);
    }

    /** What type {@code key} has. */
    public static Command<String> type(String key) {
        return Command.of(TYPE, key);
    }

    /** The same for a key of any bytes. */
    public static Command<String> type(byte[] key) {
        return Command.of(TYPE, key);
    }

    /** Renames {@code key}, in place of any {@code newKey}; an error if it is not there. */
    public static Command<String> rename(String key, String newKey) {
        return Command.of(RENAME, key, newKey);
    }

    /** The same for keys of any bytes. */
    public static Command<String> rename(byte[] key, byte[] newKey) {
        return Command.of(RENAME, key, newKey);
    }

    /**
     * Finds keys, a page at a time; for keys of any bytes, {@code as(Replies.page(Replies.list(Replies::bytes)))}.
     *
     * @param cursor {@link ScanPage#START}, then that of the page before
     */
    public static Command<ScanPage<List<String>>> scan(String cursor, ScanOptions options) {
        return options.addTo(Arguments.of(), cursor).to(SCAN);
    }

    /** Reads {@code key} as a payload for {@link #restore} on a server that is not older. */
    public static Command<Optional<byte[]>> dump(String key) {
        return Command.of(DUMP, key);
    }

    /** The same for a key of any bytes. */
    public static Command<Optional<byte[]>> dump(byte[] key) {
        return Command.of(DUMP, key);
    }

    /** Makes {@code key} of a payload, without an expiry; an error if it is there. */
    public static Command<String> restore(String key, byte[] payload) {
        return Command.of(RESTORE, key, 0, payload);
    }

    /** The same for a key of any bytes. */
    public static Command<String> restore(byte[] key, byte[] payload) {
        return Command.of(RESTORE, key, 0, payload);
    }

    /** Makes {@code key} of a payload, without an expiry, whatever it was. */
    public static Command<String> replace(String key, byte[] payload) {
        return Command.of(RESTORE, key, 0, payload, "REPLACE");
    }

    /** The same for a key of any bytes. */
    public static Command<String> replace(byte[] key, byte[] payload) {
        return Command.of(RESTORE, key, 0, payload, "REPLACE");
    }

    /** How the server keeps {@code key}; empty if it is not there. */
    public static Command<Optional<String>> encoding(String key) {
        return Command.of(OBJECT_ENCODING, key);
    }

    /** The same for a key of any bytes. */
    public static Command<Optional<String>> encoding(byte[] key) {
        return Command.of(OBJECT_ENCODING, key);
    }

    /** How many bytes of the server's memory {@code key} takes, about; empty if it is not there. */
    public static Command<Optional<Long>> memoryUsage(String key) {
        return Command.of(MEMORY_USAGE, key);
    }

    /** The same for a key of any bytes. */
    public static Command<Optional<Long>> memoryUsage(byte[] key) {
        return Command.of(MEMORY_USAGE, key);
    }

    /** Milliseconds, or -1 for no expiry, or -2 for no key. */
    private static TimeToLive timeToLive(Reply reply) {
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
