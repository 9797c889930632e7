// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.library;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Response;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.params.SetParams;

/**
 * The loop that everybody writes by hand: {@code GET}, else compute and {@code SET} with a time.
 *
 * @param guarded whether an error of Redis is taken for a miss, and one of a write for nothing
 */
record JedisCache(ConnectionPool pool, Duration timeToLive, boolean guarded) implements TextCache {

    private static final int LOOK_EVERY = 1_000;

    private static final String SETTINGS =
            "GET, else compute and SET PX, which SETEX is with milliseconds; a pool that keeps its connections, of which"
                    + " each call borrows one; MGET for many, a pipeline, whose replies are looked at every 1,000, for very many";

    static final List<Source> SOURCES = List.of(source("loop", "by hand: ", false));

    static final Source GUARDED = source(
            "loop-guarded",
            "by hand, with a JedisException of the GET taken for a miss, and one of the SET for nothing: ",
            true);

    private static Source source(String variant, String note, boolean guarded) {
        return new Source(
                "jedis",
                variant,
                Promise.NONE,
                note + SETTINGS,
                (endpoint, timeout, connections, timeToLive) ->
                        new JedisCache(JedisLibrary.pool(endpoint, connections, timeout), timeToLive, guarded));
    }

    @Override
    public String get(String key, Computation computation) throws Exception {
        var found = found(key);
        if (found != null) {
            return found;
        }
        var text = computation.of(key);
        keep(key, text);
        return text;
    }

    private @Nullable String found(String key) {
        try (var jedis = borrow()) {
            return jedis.get(NAME + ":" + key);
        } catch (JedisException e) {
            if (guarded) {
                return null;
            }
            throw e;
        }
    }

    private void keep(String key, String text) {
        try {
            put(key, text, timeToLive);
        } catch (JedisException e) {
            if (!guarded) {
                throw e;
            }
        }
    }

    @Override
    public void put(String key, String text, Duration timeToLive) {
        try (var jedis = borrow()) {
            jedis.set(NAME + ":" + key, text, SetParams.setParams().px(timeToLive.toMillis()));
        }
    }

    @Override
    public List<@Nullable String> getAll(List<String> keys) {
        try (var jedis = borrow()) {
            return new ArrayList<>(
                    jedis.mget(keys.stream().map(key -> NAME + ":" + key).toArray(String[]::new)));
        }
    }

    @Override
    public long putAll(Iterator<Pair> entries) {
        long written = 0;
        var lasting = SetParams.setParams().px(timeToLive.toMillis());
        try (var jedis = borrow();
                var pipeline = jedis.pipelined()) {
            var replies = new ArrayList<Response<String>>(LOOK_EVERY);
            while (entries.hasNext()) {
                var entry = entries.next();
                replies.add(pipeline.set(NAME + ":" + entry.key(), entry.value(), lasting));
                if (replies.size() == LOOK_EVERY || !entries.hasNext()) {
                    pipeline.sync();
                    replies.forEach(Response::get); // throws what the server answered with
                    written += replies.size();
                    replies.clear();
                }
            }
        }
        return written;
    }

    private Jedis borrow() {
        return new Jedis(pool.getResource());
    }

    @Override
    public void close() {
        pool.close();
    }
}
