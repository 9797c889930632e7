// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.client.Pipeline;
import io.millrace.client.RedisClient;
import io.millrace.client.Result;
import io.millrace.client.command.Command;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.client.exception.RedisException;
import io.millrace.resp.Reply;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the entries of a cache in Redis. If Redis does not answer a read in time, or answers with an error,
 * the read counts the error and returns an entry of the kind {@code UNREACHABLE}. While the circuit is open, reads
 * return such an entry without a command. Thread-safe.
 */
final class EntryStore<V> {

    /**
     * The result of the command is the raw reply, without a wrapper object. So a hit costs no more than a plain {@code
     * GET}.
     */
    private static final CommandSpec<Reply> GET =
            CommandSpec.of("GET", Replies::raw).idempotently();

    /**
     * Maximum number of keys of one pipeline. If Redis does not answer a pipeline, the cache sends no further pipeline.
     */
    private static final int KEYS_PER_PIPELINE = 16 * ManyReads.KEYS_PER_MGET;

    private static final Duration SHORTEST = Duration.ofMillis(1);

    private final RedisClient client;
    private final String name;
    private final String prefix;
    private final byte[] encodedPrefix;
    private final EntryFormat<V> format;
    private final Duration timeout;
    private final StatsCounter statsCounter;
    private final RedisCircuit circuit;
    private final ManyReads<V> manyReads;

    EntryStore(
            RedisClient client,
            String name,
            EntryFormat<V> format,
            Duration timeout,
            StatsCounter statsCounter,
            RedisCircuit circuit) {
        this.client = client;
        this.name = name;
        this.prefix = name + ":";
        this.encodedPrefix = prefix.getBytes(StandardCharsets.UTF_8);
        this.format = format;
        this.timeout = timeout;
        this.statsCounter = statsCounter;
        this.circuit = circuit;
        this.manyReads = new ManyReads<>(this, format, encodedPrefix);
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

    /** Returns the Redis key of the entry of {@code key}. */
    String redisKey(String key) {
        return prefix + key;
    }

    /** Whether the circuit is open: Redis does not answer, so the caller must not wait for Redis. */
    boolean isOpen() {
        return circuit.isOpen();
    }

    /** Counts a command that is not sent because the circuit is open. Starts a probe, unless a probe is not due. */
    void skip(String key) {
        statsCounter.bypasses.increment();
        if (circuit.tryBeginProbe()) {
            startProbe(key);
        }
    }

    /** Starts a platform thread, because loaders may compute on all carriers. At most ten probes a second are started. */
    private void startProbe(String key) {
        boolean started = false;
        try {
            Thread.ofPlatform()
                    .daemon()
                    .name("millrace-cache-probe")
                    .inheritInheritableThreadLocals(false)
                    .start(() -> probe(key));
            started = true;
        } finally {
            if (!started) { // the process has too many threads; the next probe may start
                circuit.endProbe();
            }
        }
    }

    private void probe(String key) {
        try {
            Reply unused = call(getCommand(key));
        } catch (RedisException e) {
            recordError("probe", e);
        } finally {
            circuit.endProbe();
        }
    }

    Entry<V> read(String key) {
        if (circuit.isOpen()) {
            skip(key);
            return Entry.unreachable();
        }
        try {
            return decode(key, call(getCommand(key)));
        } catch (InterruptedCommandException e) {
            throw interruptedException(e);
        } catch (RedisException e) {
            recordError("read", e);
            return Entry.unreachable();
        }
    }

    /**
     * Reads the entry of a key, also while the circuit is open.
     *
     * @throws RedisException if Redis does not answer
     */
    Entry<V> readAlways(String key) {
        try {
            return decode(key, call(getCommand(key)));
        } catch (InterruptedCommandException e) {
            throw interruptedException(e);
        }
    }

    /**
     * Runs a command, and tells the circuit whether Redis answered.
     *
     * @throws RedisException if the command failed
     */
    <T> T call(Command<T> command) {
        try {
            T value = client.call(command);
            circuit.succeeded();
            return value;
        } catch (RedisException e) {
            circuit.failed(e);
            throw e;
        }
    }

    /**
     * Runs a pipeline of commands with the full Redis timeout, and tells the circuit whether Redis answered.
     *
     * @throws InterruptedCommandException if the thread is interrupted
     */
    List<Result<?>> run(Pipeline pipeline) {
        List<Result<?>> results = pipeline.run();
        if (!results.isEmpty()) {
            // All commands of a pipeline use one connection, so the first outcome is enough.
            circuit.ended(results.getFirst().outcome());
        }
        return results;
    }

    Command<Reply> getCommand(String key) {
        return Command.of(GET, EncodedKey.of(encodedPrefix, key)).within(timeout);
    }

    /** Decodes a reply to {@link #getCommand}. */
    Entry<V> decode(String key, Reply reply) {
        if (reply instanceof Reply.Null) {
            return Entry.absent();
        }
        Entry<V> entry = reply instanceof Reply.BulkString bulk ? format.read(key, bulk.bytes()) : null;
        if (entry == null) {
            statsCounter.undecodable.increment();
            return Entry.absent();
        }
        return entry;
    }

    /** Decodes a reply if it certainly is a fresh value. Returns null for a reply that needs {@link #decode}. */
    @Nullable
    V freshValue(KeyReplies read, int index) {
        return read.reply(index) instanceof Reply.BulkString bulk
                ? format.freshValue(read.checks()[index], bulk.bytes())
                : null;
    }

    /**
     * Reads one entry for each key, in the order of the keys. After the first timeout the remaining keys are not read,
     * and get entries of the kind {@code UNREACHABLE}.
     *
     * @param nanosLeft remaining time of the caller in nanoseconds
     */
    List<Entry<V>> readAll(List<String> keys, LongSupplier nanosLeft) {
        List<Entry<V>> entries = new ArrayList<>(keys.size());
        for (Reply reply : readReplies(keys, nanosLeft).replies()) {
            entries.add(decode(keys.get(entries.size()), reply));
        }
        entries.addAll(Collections.nCopies(keys.size() - entries.size(), Entry.unreachable()));
        return entries;
    }

    /** Reads the keys as {@link #readAll} does, and returns the undecoded replies. */
    KeyReplies readReplies(List<String> keys, LongSupplier nanosLeft) {
        KeyReplies read = new KeyReplies(new ArrayList<>(keys.size()), new long[keys.size()]);
        if (keys.isEmpty()) {
            return read;
        }
        if (circuit.isOpen()) {
            skip(keys.getFirst());
            return read;
        }
        try {
            for (int from = 0; from < keys.size() && nanosLeft.getAsLong() > 0; from += KEYS_PER_PIPELINE) {
                readPart(keys, from, Duration.ofNanos(nanosLeft.getAsLong()), read);
            }
        } catch (InterruptedCommandException e) {
            throw interruptedException(e);
        } catch (RedisException e) {
            recordError("read", e);
        }
        return read;
    }

    private void readPart(List<String> keys, int begin, Duration left, KeyReplies read) {
        Duration within = left.compareTo(timeout) > 0 ? timeout : left.compareTo(SHORTEST) < 0 ? SHORTEST : left;
        // A timeout much earlier than the Redis timeout says nothing about the server.
        boolean counts = within.multipliedBy(2).compareTo(timeout) >= 0;
        int end = Math.min(keys.size(), begin + KEYS_PER_PIPELINE);
        manyReads.read(new ManyReads.Part(keys, begin, end, within, counts), read);
    }

    /**
     * Returns the exception of an interrupted caller. An interrupt is not a miss: the caller must stop waiting, and no
     * load may start.
     */
    LoadInterruptedException interruptedException(InterruptedCommandException e) {
        return new LoadInterruptedException(
                "the thread was interrupted while it waited for Redis: cache=" + name + ".", e);
    }

    /**
     * Runs a write of loaded entries. No caller waits for such a write. While the circuit is open, only one write at a
     * time is sent, as a probe; further writes are skipped and counted.
     *
     * @return the result of {@code write}; false if the write is skipped
     */
    boolean runWrite(BooleanSupplier write) {
        if (!circuit.isOpen()) {
            return write.getAsBoolean();
        }
        if (!circuit.tryBeginProbe()) {
            statsCounter.bypasses.increment();
            return false;
        }
        try {
            return write.getAsBoolean();
        } finally {
            circuit.endProbe();
        }
    }

    /** Writes an entry. Returns whether Redis confirmed the write; errors are counted. */
    boolean write(String key, EncodedEntry encodedEntry) {
        try {
            put(key, encodedEntry);
            return true;
        } catch (RedisException e) {
            recordError("write", e);
            return false;
        }
    }

    /**
     * Writes an entry.
     *
     * @throws RedisException if the entry is not written, or the result is unknown
     */
    void put(String key, EncodedEntry encodedEntry) {
        String unused = call(setCommand(key, encodedEntry));
        recordWrites(1);
    }

    Command<String> setCommand(String key, EncodedEntry encodedEntry) {
        return Command.of(Strings.SET, redisKey(key), encodedEntry.bytes(), "PX", encodedEntry.expiryMillis())
                .within(timeout);
    }

    /**
     * Deletes Redis keys.
     *
     * @throws RedisException if the keys are not deleted, or the result is unknown
     */
    void delete(String... redisKeys) {
        long unused = call(Keys.delete(redisKeys).within(timeout));
    }

    /** Counts entries that Redis has confirmed. */
    void recordWrites(long entries) {
        statsCounter.writes.add(entries);
    }

    /** Counts a write that Redis refused, because the lease of the load was lost. Commits a Flight Recorder event. */
    void recordRefusedWrite() {
        statsCounter.refusedWrites.increment();
        CacheEvents.CacheWriteRefused event = new CacheEvents.CacheWriteRefused();
        if (event.shouldCommit()) {
            event.cache = name;
            event.commit();
        }
    }

    /** Counts an error and commits a Flight Recorder event. */
    void recordError(String step, Throwable cause) {
        statsCounter.errors.increment();
        CacheEvents.CacheError event = new CacheEvents.CacheError();
        if (event.shouldCommit()) {
            event.cache = name;
            event.step = step;
            event.cause = switch (cause) {
                case ErrorReplyException reply -> reply.code();
                case RedisException failure -> failure.toString();
                default -> cause.getClass().getName();
            };
            event.commit();
        }
    }
}
