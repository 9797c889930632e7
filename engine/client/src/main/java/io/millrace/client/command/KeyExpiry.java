// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import io.millrace.client.exception.UnexpectedReplyException;
import io.millrace.resp.Reply;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Commands on the expiry of keys: times, and conditions. {@link Keys} sets an expiry without a condition, and reads the
 * remaining time to live.
 */
public final class KeyExpiry {

    /** {@code PEXPIREAT key milliseconds}: returns whether the expiry was set. */
    public static final CommandSpec<Boolean> PEXPIREAT = CommandSpec.of("PEXPIREAT", Decoders.FLAG);

    /** {@code PEXPIRETIME key}: returns the time of the expiry. */
    public static final CommandSpec<Optional<Instant>> PEXPIRETIME =
            CommandSpec.of("PEXPIRETIME", KeyExpiry::expiryTime).idempotently();

    private KeyExpiry() {}

    /**
     * Sets the expiry of {@code key} to {@code ttl} from now if {@code condition} holds. Returns whether the expiry was
     * set. Redis 7.0 or later.
     *
     * @param ttl 1 ms to 36,500 days
     */
    public static Command<Boolean> expire(String key, Duration ttl, ExpireCondition condition) {
        return Command.of(Keys.PEXPIRE, key, Arguments.ttlMillis(ttl), condition.option());
    }

    /** Same command as {@link #expire(String, Duration, ExpireCondition)}, with a binary key. */
    public static Command<Boolean> expire(byte[] key, Duration ttl, ExpireCondition condition) {
        return Command.of(Keys.PEXPIRE, key, Arguments.ttlMillis(ttl), condition.option());
    }

    /**
     * Sets the expiry of {@code key} to {@code time}. Replaces an earlier expiry. A time in the past deletes the key.
     *
     * @param time from 1970-01-01T00:00:00.001Z to the end of the year 9999, in whole milliseconds
     */
    public static Command<Boolean> expireAt(String key, Instant time) {
        return Command.of(PEXPIREAT, key, Arguments.epochMillis(time));
    }

    /** Same command as {@link #expireAt(String, Instant)}, with a binary key. */
    public static Command<Boolean> expireAt(byte[] key, Instant time) {
        return Command.of(PEXPIREAT, key, Arguments.epochMillis(time));
    }

    /** Sets the expiry as {@link #expireAt(String, Instant)} does, if {@code condition} holds. Redis 7.0 or later. */
    public static Command<Boolean> expireAt(String key, Instant time, ExpireCondition condition) {
        return Command.of(PEXPIREAT, key, Arguments.epochMillis(time), condition.option());
    }

    /** Same command as {@link #expireAt(String, Instant, ExpireCondition)}, with a binary key. */
    public static Command<Boolean> expireAt(byte[] key, Instant time, ExpireCondition condition) {
        return Command.of(PEXPIREAT, key, Arguments.epochMillis(time), condition.option());
    }

    /**
     * Reads the time at which {@code key} expires, empty if the key does not exist or has no expiry. {@link Keys#timeToLive}
     * distinguishes these two cases. Redis 7.0 or later.
     */
    public static Command<Optional<Instant>> expiryTime(String key) {
        return Command.of(PEXPIRETIME, key);
    }

    /** Same command as {@link #expiryTime(String)}, with a binary key. */
    public static Command<Optional<Instant>> expiryTime(byte[] key) {
        return Command.of(PEXPIRETIME, key);
    }

    /** Decodes the time in milliseconds. -1 means that there is no expiry, and -2 means that there is no key or field. */
    static Optional<Instant> expiryTime(Reply reply) {
        long millis = Replies.integer(reply);
        if (millis < -2) {
            throw new UnexpectedReplyException("milliseconds, -1 or -2", reply);
        }
        return millis < 0 ? Optional.empty() : Optional.of(Instant.ofEpochMilli(millis));
    }
}
