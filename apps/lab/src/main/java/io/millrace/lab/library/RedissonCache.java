// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.library;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RFuture;
import org.redisson.api.RMapCache;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

/**
 * Redisson's map cache, which keeps all entries in one hash, and their times beside it.
 *
 * @param computing whether by {@code computeIfAbsent}, under a lock in Redis
 */
record RedissonCache(RedissonClient client, RMapCache<String, String> map, Duration timeToLive, boolean computing)
        implements TextCache {

    private static final int BATCH = 1_000;

    /** So that the next batches are made and sent while one is on its way. */
    private static final int BATCHES_IN_FLIGHT = 4;

    private static final String SETTINGS =
            "; RMapCache, one hash for all entries, StringCodec, a pool of as many connections as"
                    + " callers, 64 at most, never sends again; each get() is a script, since it looks at the entry's time; getAll() for many,"
                    + " putAllAsync() of 1,000 each, " + BATCHES_IN_FLIGHT
                    + " in flight, for very many; it looks for what has"
                    + " expired in the background";

    static final List<Source> SOURCES = List.of(
            source("map-cache", "get(), else compute and fastPut() with a time to live", false),
            source("map-cache-computing", "computeIfAbsent() with a time to live, under a lock in Redis", true));

    private static Source source(String variant, String note, boolean computing) {
        return new Source(
                "redisson",
                variant,
                Promise.NONE,
                note + SETTINGS,
                (endpoint, timeout, connections, timeToLive) ->
                        open(endpoint, timeout, connections, timeToLive, computing));
    }

    private static TextCache open(
            Endpoint endpoint, Duration timeout, int connections, Duration timeToLive, boolean computing) {
        var client = RedissonLibrary.connect(endpoint, timeout, connections);
        return new RedissonCache(client, client.getMapCache(MAP, StringCodec.INSTANCE), timeToLive, computing);
    }

    @Override
    public String get(String key, Computation computation) throws Exception {
        if (computing) {
            return map.computeIfAbsent(key, timeToLive, missing -> computed(computation, missing));
        }
        var found = map.get(key);
        if (found != null) {
            return found;
        }
        var text = computation.of(key);
        put(key, text, timeToLive);
        return text;
    }

    private static String computed(Computation computation, String key) {
        try {
            return computation.of(key);
        } catch (Exception e) {
            throw new IllegalStateException("a computation failed", e);
        }
    }

    @Override
    public void put(String key, String text, Duration timeToLive) {
        map.fastPut(key, text, timeToLive.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public List<@Nullable String> getAll(List<String> keys) {
        var found = map.getAll(new HashSet<>(keys));
        var texts = new ArrayList<@Nullable String>(keys.size());
        keys.forEach(key -> texts.add(found.get(key)));
        return texts;
    }

    @Override
    public long putAll(Iterator<Pair> entries) throws ExecutionException, InterruptedException {
        long written = 0;
        var inFlight = new ArrayDeque<Sent>(BATCHES_IN_FLIGHT);
        while (entries.hasNext()) {
            if (inFlight.size() == BATCHES_IN_FLIGHT) {
                written += inFlight.remove().written();
            }
            inFlight.add(send(entries));
        }
        for (var sent : inFlight) {
            written += sent.written();
        }
        return written;
    }

    private Sent send(Iterator<Pair> entries) {
        Map<String, String> batch = new HashMap<>();
        while (batch.size() < BATCH && entries.hasNext()) {
            var entry = Objects.requireNonNull(entries.next());
            batch.put(entry.key(), entry.value());
        }
        return new Sent(batch.size(), map.putAllAsync(batch, timeToLive.toMillis(), TimeUnit.MILLISECONDS));
    }

    /** A batch on its way. */
    private record Sent(int entries, RFuture<Void> reply) {

        /** How many are known to be written; waits for that. */
        int written() throws ExecutionException, InterruptedException {
            reply.get();
            return entries;
        }
    }

    @Override
    public void close() {
        RedissonLibrary.close(client);
    }
}
