// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.client.command.Command;
import io.millrace.client.command.Script;
import io.millrace.client.command.Scripts;
import io.millrace.client.exception.RedisException;
import io.millrace.resp.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes entries of keys that have no value. Thread-safe.
 *
 * <p>DESIGN. Only the codec of the cache knows whether the bytes of an entry are a value. So the script writes if the key
 * does not exist, and returns the entry otherwise. If this entry is no value, the second call of the script replaces this
 * entry, but only if the entry is still the same.
 */
final class AbsentEntries<V> {

    private static final Script PUT = Script.of("""
            local found = redis.call('GET', KEYS[1])
            if found and found ~= ARGV[3] then return found end
            redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
            if KEYS[2] then redis.call('DEL', KEYS[2]) end
            return false
            """);

    private final EntryStore<V> entryStore;
    private final @Nullable Leases<V> leases;
    private final LongSupplier epochMillis;

    /** @param epochMillis the clock of the cache */
    AbsentEntries(EntryStore<V> entryStore, @Nullable Leases<V> leases, LongSupplier epochMillis) {
        this.entryStore = entryStore;
        this.leases = leases;
        this.epochMillis = epochMillis;
    }

    /**
     * Writes the entry, and deletes the lease of its key, unless Redis has a value that is not stale. Returns this value;
     * empty if the entry is written.
     *
     * @throws RedisException if a command failed
     */
    Optional<V> put(String key, EncodedEntry encodedEntry) {
        byte[] replaced = null;
        while (true) {
            Reply reply = entryStore.call(command(key, encodedEntry, replaced));
            if (!(reply instanceof Reply.BulkString found)) {
                entryStore.recordWrites(1);
                return Optional.empty();
            }
            Entry<V> entry = entryStore.decode(key, found);
            if (entry.kind() == Entry.Kind.VALUE && !entry.isStale(epochMillis.getAsLong())) {
                return Optional.of(entry.requireValue());
            }
            replaced = found.bytes(); // a negative entry, a cached failure, a stale or an undecodable entry
        }
    }

    private Command<Reply> command(String key, EncodedEntry encodedEntry, byte @Nullable [] replaced) {
        List<Object> arguments = new ArrayList<>(List.of(encodedEntry.bytes(), encodedEntry.expiryMillis()));
        if (replaced != null) {
            arguments.add(replaced);
        }
        List<String> keys = leases == null
                ? List.of(entryStore.redisKey(key))
                : List.of(entryStore.redisKey(key), leases.redisKey(key));
        return Scripts.eval(PUT, keys, arguments).within(entryStore.timeout());
    }
}
