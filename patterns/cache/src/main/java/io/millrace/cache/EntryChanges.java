// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.client.Pipeline;
import io.millrace.client.Result;
import io.millrace.client.command.Command;
import io.millrace.client.command.Keys;
import io.millrace.client.command.ScanOptions;
import io.millrace.client.command.ScanPage;
import io.millrace.client.exception.RedisException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Changes that the application makes: puts and removals. Thread-safe.
 *
 * <p>DESIGN. Each change discards the loads of its keys twice: before the command, so that these loads write nothing
 * later, and after the command, because a load that began between may have read the old entry. After the second discard,
 * callers must not join such a load. The commands of a change are sent even if the circuit is open: an application that
 * removes an entry must know whether Redis has removed the entry.
 */
final class EntryChanges<V> {

    /** Number of keys of one command or pipeline. While the server executes a command, other commands wait. */
    private static final int KEYS_AT_ONCE = 1_000;

    /** Characters with a meaning in a pattern of Redis. */
    private static final String SPECIAL = "*?[]\\^-";

    private final EntryStore<V> entryStore;
    private final InFlightLoads<V> inFlightLoads;
    private final NearCache<V> nearCache;
    private final @Nullable Leases<V> leases;
    private final AbsentEntries<V> absentEntries;
    private final long redisNanos;

    EntryChanges(
            EntryStore<V> entryStore,
            InFlightLoads<V> inFlightLoads,
            NearCache<V> nearCache,
            @Nullable Leases<V> leases,
            AbsentEntries<V> absentEntries) {
        this.entryStore = entryStore;
        this.inFlightLoads = inFlightLoads;
        this.nearCache = nearCache;
        this.leases = leases;
        this.absentEntries = absentEntries;
        this.redisNanos = entryStore.timeout().toNanos();
    }

    /** The commands of a change without a result. */
    private interface Sending {

        void run();
    }

    void put(String key, EncodedEntry encodedEntry) {
        change("put", List.of(key), () -> {
            if (leases == null) {
                entryStore.put(key, encodedEntry);
            } else {
                leases.put(key, encodedEntry);
            }
        });
    }

    /** Writes the entry if the key has no value. Otherwise returns the value. */
    Optional<V> putIfAbsent(String key, EncodedEntry encodedEntry) {
        return changed("putIfAbsent", List.of(key), () -> absentEntries.put(key, encodedEntry));
    }

    /** Writes all entries in pipelines. Stops after the first pipeline with a failed write. */
    void putAll(Map<String, EncodedEntry> entries) {
        for (List<String> part : parts(entries.keySet())) {
            change("putAll", part, () -> {
                Pipeline pipeline = entryStore.client().pipeline();
                for (String key : part) {
                    EncodedEntry encodedEntry = entries.get(key);
                    if (encodedEntry != null) {
                        Result<?> unused = pipeline.add(putCommand(key, encodedEntry));
                    }
                }
                for (Result<?> result : entryStore.run(pipeline)) {
                    Object unused = result.value();
                    entryStore.recordWrites(1);
                }
            });
        }
    }

    private Command<?> putCommand(String key, EncodedEntry encodedEntry) {
        return leases == null ? entryStore.setCommand(key, encodedEntry) : leases.putCommand(key, encodedEntry);
    }

    void remove(String key) {
        change("remove", List.of(key), () -> {
            if (leases == null) {
                entryStore.delete(entryStore.redisKey(key));
            } else {
                leases.remove(key);
            }
        });
    }

    /** Removes all entries. Stops after the first failed command. */
    void removeAll(Collection<String> keys) {
        for (List<String> part : parts(new LinkedHashSet<>(keys))) {
            change("removeAll", part, () -> {
                Stream<String> entries = part.stream().map(entryStore::redisKey);
                Stream<String> all = leases == null
                        ? entries
                        : Stream.concat(entries, part.stream().map(leases::redisKey));
                unlink(all.toArray(String[]::new));
            });
        }
    }

    /** Removes all Redis keys that begin with the prefix of the cache, and all leases of the cache. */
    void clear() {
        inFlightLoads.discardAll(redisNanos);
        try {
            unlinkAll();
        } catch (RedisException e) {
            entryStore.recordError("clear", e);
            throw e;
        } finally {
            inFlightLoads.discardAll(redisNanos);
            inFlightLoads.recordAllChanged();
            nearCache.invalidateAll();
        }
    }

    /**
     * Unlinks the leases first. From then on, Redis refuses the values of all earlier loads of other processes. With one
     * scan for leases and entries, a load could write its value behind the cursor.
     */
    private void unlinkAll() {
        if (leases != null) {
            // The tilde is not allowed in names of caches, so this is the prefix of the leases of this cache only.
            unlinkAll(entryStore.name() + "~");
        }
        unlinkAll(entryStore.name() + ":");
    }

    private void unlinkAll(String prefix) {
        ScanOptions options =
                ScanOptions.DEFAULT.withMatch(escaped(prefix) + "*").withCount(KEYS_AT_ONCE);
        ScanPage<List<String>> page;
        String cursor = ScanPage.START;
        do {
            page = entryStore.call(Keys.scan(cursor, options).within(entryStore.timeout()));
            if (!page.found().isEmpty()) {
                unlink(page.found().toArray(String[]::new));
            }
            cursor = page.cursor();
        } while (!page.last());
    }

    private void unlink(String... redisKeys) {
        if (!SlotGroups.areNeeded(entryStore.client())) {
            long unused = entryStore.call(Keys.unlink(redisKeys).within(entryStore.timeout()));
            return;
        }
        Pipeline pipeline = entryStore.client().pipeline();
        for (int[] group : SlotGroups.of(0, redisKeys.length, i -> redisKeys[i], KEYS_AT_ONCE)) {
            String[] names = IntStream.of(group).mapToObj(i -> redisKeys[i]).toArray(String[]::new);
            pipeline.add(Keys.unlink(names).within(entryStore.timeout()));
        }
        entryStore.run(pipeline).forEach(Result::value);
    }

    private static String escaped(String prefix) {
        StringBuilder escaped = new StringBuilder();
        for (int i = 0; i < prefix.length(); i++) {
            char next = prefix.charAt(i);
            if (SPECIAL.indexOf(next) >= 0) {
                escaped.append('\\');
            }
            escaped.append(next);
        }
        return escaped.toString();
    }

    private static List<List<String>> parts(Collection<String> keys) {
        List<String> all = List.copyOf(keys);
        List<List<String>> parts = new ArrayList<>();
        for (int from = 0; from < all.size(); from += KEYS_AT_ONCE) {
            parts.add(all.subList(from, Math.min(all.size(), from + KEYS_AT_ONCE)));
        }
        return parts;
    }

    private void change(String step, List<String> keys, Sending sending) {
        boolean unused = changed(step, keys, () -> {
            sending.run();
            return true;
        });
    }

    private <T> T changed(String step, List<String> keys, Supplier<T> sending) {
        inFlightLoads.discardAll(keys, redisNanos);
        try {
            return sending.get();
        } catch (RedisException e) {
            entryStore.recordError(step, e);
            throw e;
        } finally {
            inFlightLoads.discardAll(keys, redisNanos);
            for (String key : keys) {
                inFlightLoads.recordChange(key);
                nearCache.invalidate(key);
            }
        }
    }
}
