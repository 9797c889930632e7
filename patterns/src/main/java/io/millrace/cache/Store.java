// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.client.Command;
import io.millrace.client.CommandSpec;
import io.millrace.client.ErrorReplyException;
import io.millrace.client.InterruptedCommandException;
import io.millrace.client.Keys;
import io.millrace.client.Pipeline;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisException;
import io.millrace.client.Replies;
import io.millrace.client.Result;
import io.millrace.client.Strings;
import io.millrace.resp.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * The entries of a cache in Redis. Reading never fails: a Redis that does not answer in time has no entry, and the error is counted.
 * Any thread.
 */
final class Store<V> {

    /** Answers without an object of their own: a hit is to cost what a {@code GET} costs. */
    private static final CommandSpec<Reply> GET =
            CommandSpec.of("GET", Replies::raw).idempotently();

    private static final CommandSpec<List<Reply>> MGET =
            CommandSpec.of("MGET", Replies::items).idempotently();

    /** Keys in one multi-get: the server does nothing else meanwhile. */
    private static final int KEYS_AT_ONCE = 1_000;

    /** In one pipeline: so many are asked for in vain if Redis does not answer. */
    private static final int KEYS_OF_A_WAVE = 16 * KEYS_AT_ONCE;

    private static final Duration SHORTEST = Duration.ofMillis(1);

    private final RedisClient client;
    private final String name;
    private final String prefix;
    private final EntryFormat<V> format;
    private final Duration timeout;
    private final Tally tally;

    Store(RedisClient client, String name, EntryFormat<V> format, Duration timeout, Tally tally) {
        this.client = client;
        this.name = name;
        this.prefix = name + ":";
        this.format = format;
        this.timeout = timeout;
        this.tally = tally;
    }

    String name() {
        return name;
    }

    RedisClient client() {
        return client;
    }

    Duration timeout() {
        return timeout;
    }

    /** What Redis calls the entry of {@code key}. */
    String redisKey(String key) {
        return prefix + key;
    }

    Entry<V> read(String key) {
        try {
            return entry(key, client.call(get(key)));
        } catch (InterruptedCommandException e) {
            throw interrupted(e);
        } catch (RedisException e) {
            failed("read", e);
            return Entry.unreachable();
        }
    }

    Command<Reply> get(String key) {
        return Command.of(GET, redisKey(key)).within(timeout);
    }

    /** The entry in a reply to {@link #get}. */
    Entry<V> entry(String key, Reply reply) {
        if (reply instanceof Reply.Null) {
            return Entry.absent();
        }
        Entry<V> entry = reply instanceof Reply.BulkString bulk ? format.read(key, bulk.bytes()) : null;
        if (entry == null) {
            tally.undecodable.increment();
            return Entry.absent();
        }
        return entry;
    }

    /**
     * One entry for each key, in their order. Where Redis does not answer in time once, the rest is not asked for.
     *
     * @param nanosLeft how much longer the caller waits
     */
    List<Entry<V>> readAll(List<String> keys, LongSupplier nanosLeft) {
        List<Entry<V>> entries = new ArrayList<>(keys.size());
        try {
            for (int from = 0; from < keys.size() && nanosLeft.getAsLong() > 0; from += KEYS_OF_A_WAVE) {
                readWave(keys, from, Duration.ofNanos(nanosLeft.getAsLong()), entries);
            }
        } catch (InterruptedCommandException e) {
            throw interrupted(e);
        } catch (RedisException e) {
            failed("read", e);
        }
        entries.addAll(Collections.nCopies(keys.size() - entries.size(), Entry.unreachable()));
        return entries;
    }

    private void readWave(List<String> keys, int begin, Duration left, List<Entry<V>> entries) {
        Duration within = left.compareTo(timeout) > 0 ? timeout : left.compareTo(SHORTEST) < 0 ? SHORTEST : left;
        Pipeline pipeline = client.pipeline();
        List<Result<List<Reply>>> results = new ArrayList<>();
        int end = Math.min(keys.size(), begin + KEYS_OF_A_WAVE);
        for (int from = begin; from < end; from += KEYS_AT_ONCE) {
            List<String> some = keys.subList(from, Math.min(end, from + KEYS_AT_ONCE));
            Object[] names = some.stream().map(this::redisKey).toArray();
            results.add(pipeline.add(Command.of(MGET, names).within(within)));
        }
        pipeline.run();
        for (Result<List<Reply>> result : results) {
            addEntries(keys, result, entries);
        }
    }

    /** No miss: the caller is not to wait any more, and nothing is to be loaded. */
    LoadInterruptedException interrupted(InterruptedCommandException e) {
        return new LoadInterruptedException("interrupted while waiting for Redis: cache=" + name + ".", e);
    }

    private void addEntries(List<String> keys, Result<List<Reply>> result, List<Entry<V>> entries) {
        for (Reply reply : result.value()) {
            entries.add(entry(keys.get(entries.size()), reply));
        }
    }

    /** Writes an entry, and says whether that is known to have been done. */
    boolean write(String key, Draft draft) {
        try {
            put(key, draft);
            return true;
        } catch (RedisException e) {
            failed("write", e);
            return false;
        }
    }

    /**
     * Writes an entry.
     *
     * @throws RedisException if it is not written, or if that is not known
     */
    void put(String key, Draft draft) {
        client.call(set(key, draft));
    }

    Command<String> set(String key, Draft draft) {
        return Command.of(Strings.SET, redisKey(key), draft.bytes(), "PX", draft.millis())
                .within(timeout);
    }

    /**
     * Deletes keys of Redis.
     *
     * @throws RedisException if they are not deleted, or if that is not known
     */
    void delete(String... redisKeys) {
        client.call(Keys.delete(redisKeys).within(timeout));
    }

    /** Counts an error, and tells Flight Recorder. */
    void failed(String step, Throwable cause) {
        tally.errors.increment();
        Events.CacheError event = new Events.CacheError();
        if (event.shouldCommit()) {
            event.cache = name;
            event.step = step;
            event.cause = switch (cause) {
                case ErrorReplyException reply -> reply.code();
                case RedisException said -> said.toString();
                default -> cause.getClass().getName();
            };
            event.commit();
        }
    }
}
