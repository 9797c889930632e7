// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.client.command.Command;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Script;
import io.millrace.client.command.Scripts;
import io.millrace.resp.Reply;
import java.time.Duration;
import java.util.List;

/** The commands of leases, with the Redis timeout. Thread-safe. */
final class LeaseCommands<V> {

    private static final CommandSpec<Reply> CLAIM = CommandSpec.of("SET", Replies::raw);
    private static final CommandSpec<Long> REMAINING =
            CommandSpec.of("PTTL", Replies::integer).idempotently();

    private static final Script RENEW = Script.of("""
            if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
            return redis.call('PEXPIRE', KEYS[1], ARGV[2])
            """);

    private static final Script RELEASE = Script.of("""
            if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
            return redis.call('DEL', KEYS[1])
            """);

    private static final Script WRITE = Script.of("""
            if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
            redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3])
            return redis.call('DEL', KEYS[1])
            """);

    private static final Script PUT = Script.of("""
            redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
            return redis.call('DEL', KEYS[1])
            """);

    private final EntryStore<V> entryStore;
    private final Duration lease;

    LeaseCommands(EntryStore<V> entryStore, Duration lease) {
        this.entryStore = entryStore;
        this.lease = lease;
    }

    /** Takes the lease if the lease is free; the reply is null otherwise. */
    Command<Reply> claim(HeldLease held) {
        return Command.of(CLAIM, redisKey(held.key), held.token, "NX", "PX", lease.toMillis())
                .within(entryStore.timeout());
    }

    /** Returns the remaining time of a lease in milliseconds. */
    Command<Long> remaining(String key) {
        return Command.of(REMAINING, redisKey(key)).within(entryStore.timeout());
    }

    /** Renews the lease if it still has its token. The reply says whether the lease is renewed. */
    Command<Boolean> renew(HeldLease held) {
        return withBody(RENEW, List.of(redisKey(held.key)), List.of(held.token, lease.toMillis()));
    }

    /** Deletes the lease if it still has its token. The reply says whether the lease is deleted. */
    Command<Boolean> release(HeldLease held) {
        return withBody(RELEASE, List.of(redisKey(held.key)), List.of(held.token));
    }

    /**
     * Writes the entry and deletes the lease if the lease still has its token. The reply says whether the entry is
     * written.
     */
    Command<Boolean> write(HeldLease held, EncodedEntry encodedEntry) {
        return withBody(WRITE, keys(held.key), List.of(held.token, encodedEntry.bytes(), encodedEntry.expiryMillis()));
    }

    /** Writes the entry, and deletes the lease even if another process holds the lease. */
    Command<Boolean> put(String key, EncodedEntry encodedEntry) {
        return withBody(PUT, keys(key), List.of(encodedEntry.bytes(), encodedEntry.expiryMillis()));
    }

    private List<String> keys(String key) {
        return List.of(redisKey(key), entryStore.redisKey(key));
    }

    /**
     * Returns the Redis key of the lease, in the hash slot of the entry. If the key has a hash tag, the lease uses this
     * tag. Otherwise the Redis key of the entry becomes the tag. If that Redis key contains a closing brace, the tag is
     * a number that belongs to the same hash slot.
     */
    String redisKey(String key) {
        int open = key.indexOf('{');
        boolean tagged = open >= 0 && key.indexOf('}', open) > open + 1;
        if (tagged) {
            return entryStore.name() + "~lease~" + key;
        }
        String entry = entryStore.redisKey(key);
        return key.indexOf('}') < 0
                ? entryStore.name() + "~lease:{" + entry + "}"
                : entryStore.name() + "~lease#{" + HashSlot.smallestNumberIn(HashSlot.of(entry)) + "}:" + key;
    }

    /**
     * Returns a command that sends the body of a Lua script. Its reply says whether the script changed a key. With the
     * hash of the script, a second command would follow a {@code NOSCRIPT} error. In a pipeline, and if no caller waits
     * for the reply, the client cannot send the second command. In a load, the thread of the load would send the second
     * command, and this may be too late if loaders occupy all carrier threads.
     */
    private Command<Boolean> withBody(Script script, List<?> keys, List<?> arguments) {
        return Scripts.eval(script, keys, arguments).as(Replies::flag).within(entryStore.timeout());
    }
}
