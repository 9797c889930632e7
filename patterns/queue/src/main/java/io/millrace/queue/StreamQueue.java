// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.Pipeline;
import io.millrace.client.RedisClient;
import io.millrace.client.Result;
import io.millrace.client.Setting;
import io.millrace.client.command.Command;
import io.millrace.client.command.Streams;
import io.millrace.client.exception.RedisException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A queue of jobs in a Redis stream with one or more consumer groups. Each group gets every job. Other programs can add
 * entries with {@code XADD}. For a queue with one group, {@link JobQueue} has more features.
 *
 * <p>Each job is done at least once by each group. A job stays pending for its worker until it has succeeded. If a worker
 * does not renew its lease in time, other workers claim its jobs. A failed job is done again after its backoff. A worker
 * does at most one job at a time whose worker died, because such a job may have killed its worker. A job is done twice
 * only in these cases: an attempt failed, its worker died or was silent for longer than the lease, its worker
 * was closed before the job ended, its worker could not tell the server the end of the job, or the server lost the
 * acknowledgement in a crash or a failover. In a crash or a failover, a server can also lose jobs.
 *
 * <p>Workers trim the entries that all groups have acknowledged. An abandoned group stops the trimming: the workers
 * log one line, and {@link #status} shows the group.
 *
 * <p>Thread-safe. The queue does not close the client.
 *
 * @param <T> the type of the jobs
 */
public final class StreamQueue<T> {

    /** Maximum number of pushes that one pipeline holds. */
    private static final int PUSH_BATCH = 10_000;

    private static final int MAX_LISTED = 100_000;

    private final RedisClient client;
    private final String key;
    private final FieldsCodec<T> codec;
    private final String from;
    private final long maxLength;
    private final long minEntries;
    private final long maxDead;

    private StreamQueue(
            RedisClient client,
            String key,
            FieldsCodec<T> codec,
            String from,
            long maxLength,
            long minEntries,
            long maxDead) {
        this.client = client;
        this.key = key;
        this.codec = codec;
        this.from = from;
        this.maxLength = maxLength;
        this.minEntries = minEntries;
        this.maxDead = maxDead;
    }

    /**
     * Returns the queue in the stream {@code key}, which need not exist. A new group begins with the oldest entry.
     *
     * @throws IllegalArgumentException if {@code key} is empty, or has a closing brace but no hash tag
     */
    public static <T> StreamQueue<T> of(RedisClient client, String key, FieldsCodec<T> codec) {
        Objects.requireNonNull(client, "client");
        Objects.requireNonNull(codec, "codec");
        String unused = KeyNames.additional(key, "dead"); // throws an exception if the key is invalid
        return new StreamQueue<>(client, key, codec, "0", Long.MAX_VALUE, 0, JobQueue.MAX_DEAD.defaultValue());
    }

    /**
     * Returns a copy whose new consumer groups begin after the entry {@code id}. The id {@code $} means the newest
     * entry.
     */
    public StreamQueue<T> newGroupsFrom(String id) {
        return new StreamQueue<>(client, key, codec, id, maxLength, minEntries, maxDead);
    }

    /**
     * Returns a copy whose pushes limit the length of the stream to about {@code entries}, which is 1 or more. The server
     * removes the oldest entries <strong>even if they are not acknowledged</strong>. If a removed entry was due for
     * another attempt, a worker counts the entry as {@linkplain WorkerStats#missing missing}. If a removed entry was
     * pending, its worker may count the entry as {@linkplain WorkerStats#noLongerHeld no longer held}. Removed entries
     * that were never delivered are not counted.
     */
    public StreamQueue<T> maxLength(long entries) {
        Setting.checkArgument("entries", entries, 1L, Long.MAX_VALUE);
        return new StreamQueue<>(client, key, codec, from, entries, minEntries, maxDead);
    }

    /**
     * Returns a copy whose workers keep at least {@code entries} entries when they trim, and up to one node of the stream
     * more. {@code entries} is 0 or more; the default is 0. By default a node has 100 entries. Trimming stops at the first
     * entry that is unread or unacknowledged in any group. A worker trims every third of the lease and when it is closed.
     */
    public StreamQueue<T> keepAtLeast(long entries) {
        Setting.checkArgument("entries", entries, 0L, Long.MAX_VALUE);
        return new StreamQueue<>(client, key, codec, from, maxLength, entries, maxDead);
    }

    /** Returns a copy whose workers do not trim the stream. */
    public StreamQueue<T> withoutTrimming() {
        return new StreamQueue<>(client, key, codec, from, maxLength, -1, maxDead);
    }

    /**
     * Returns a copy whose workers keep about {@code entries} dead letters, {@link JobQueue#MAX_DEAD}. The oldest are dropped
     * in nodes of the stream, which have 100 entries by default. They are {@linkplain StreamStatus#dropped counted} and
     * logged.
     */
    public StreamQueue<T> maxDead(long entries) {
        return new StreamQueue<>(client, key, codec, from, maxLength, minEntries, JobQueue.MAX_DEAD.check(entries));
    }

    /**
     * Returns the key of the stream of dead letters. Each entry has its original fields and four more fields: {@code
     * millrace-id} (the ID of the entry in the queue), {@code millrace-group}, {@code millrace-deliveries} and {@code
     * millrace-reason}. If an entry has more than 3,500 original fields, the original fields are stored in the single
     * field {@code millrace-fields} as a MessagePack array of alternating names and values.
     */
    public String deadLetters() {
        return place("").deadLetters();
    }

    /**
     * Adds a job. When the method returns, the job is in the stream. Returns the ID of the entry.
     *
     * @throws RedisException if the push failed or its outcome is unknown. {@link RedisException#maybeExecuted} tells
     *     whether the job may be in the queue
     */
    public String push(T job) {
        return client.call(add(codec.encode().apply(job)));
    }

    /**
     * Adds jobs, in order. Sends the jobs without waiting for each reply, and waits for all replies. Returns the IDs.
     *
     * @throws RedisException if a push failed or its outcome is unknown. Other jobs may have been pushed, before and after
     *     the failed one
     */
    public List<String> pushAll(Collection<? extends T> jobs) {
        List<String> ids = new ArrayList<>(jobs.size());
        List<Result<String>> results = new ArrayList<>();
        Pipeline pipeline = client.pipeline();
        for (T job : jobs) {
            results.add(pipeline.add(add(codec.encode().apply(job))));
            if (results.size() == PUSH_BATCH) {
                collect(pipeline, results, ids);
            }
        }
        collect(pipeline, results, ids);
        return ids;
    }

    private static void collect(Pipeline pipeline, List<Result<String>> results, List<String> ids) {
        var unused = pipeline.run();
        results.forEach(result -> ids.add(result.value()));
        results.clear();
    }

    private Command<String> add(Map<String, byte[]> fields) {
        if (fields.isEmpty()) {
            throw new IllegalArgumentException(
                    "a job has no fields: queue=" + key + ". Use a codec that returns at least one field.");
        }
        List<Object> arguments = new ArrayList<>();
        arguments.add(key);
        if (maxLength < Long.MAX_VALUE) {
            arguments.addAll(List.of("MAXLEN", "~", maxLength));
        }
        arguments.add("*");
        fields.forEach((name, value) -> {
            arguments.add(name);
            arguments.add(value);
        });
        return Command.of(Streams.XADD, arguments.toArray());
    }

    /**
     * Returns a builder of a worker of {@code group}. The worker creates the group if it does not exist. A failed job
     * is done again after the {@linkplain WorkerBuilder#backoff backoff}. The worker may begin the job later: by up to a quarter
     * of the lease, and by 20 to 50 ms for each 1,000 jobs that wait for their backoff.
     *
     * @param concurrency the number of jobs that the worker does at the same time, {@link WorkerOptions#CONCURRENCY}
     */
    public WorkerBuilder<T> worker(String group, int concurrency, JobHandler<T> handler) {
        StreamGroup place = place(group);
        return new WorkerBuilder<>(
                client, options -> new StreamBackend<>(client, place, codec, options), concurrency, handler);
    }

    /**
     * Pauses the queue: after about one second, the workers of all groups take no more jobs. Running jobs continue, and
     * producers can push. The pause lasts until {@link #resume}, also over restarts of workers.
     */
    public void pause() {
        control().pause();
    }

    /** Ends the pause. Workers take jobs again after about one second. */
    public void resume() {
        control().resume();
    }

    /**
     * Returns the number of entries of the stream. Entries that all groups have acknowledged count until a worker trims
     * them. One cheap command.
     */
    public long size() {
        return client.call(Streams.size(key));
    }

    /** Returns the state of the stream and its groups. */
    public StreamStatus status() {
        return control().status();
    }

    /**
     * Returns the dead letters of all groups, the newest first.
     *
     * @param limit maximum number of letters, 1 to 100,000
     */
    public List<DeadLetter> dead(int limit) {
        return control().dead((int) Setting.checkArgument("limit", limit, 1, MAX_LISTED));
    }

    /**
     * Adds dead letters to the stream again, the oldest first, and removes the letters. Each becomes a new entry with a
     * new ID, and its attempts are counted from 1. If the stream has several groups, each group gets the entry, also the
     * groups that have done the job. A letter whose entry had more than 3,500 fields stays. Returns the number of entries.
     *
     * @param limit maximum number of letters, at least 1
     */
    public long redrive(long limit) {
        return control().redrive(Setting.checkArgument("limit", limit, 1L, Long.MAX_VALUE));
    }

    /**
     * Adds one dead letter to the stream again, as {@link #redrive(long)} does. Returns false if there is no such letter,
     * or its entry had more than 3,500 fields.
     *
     * @param id the ID of the dead letter, {@link DeadLetter#id}
     */
    public boolean redrive(String id) {
        return control().redrive(id);
    }

    /** Removes all dead letters. Returns their number. */
    public long purgeDead() {
        return control().purgeDead();
    }

    private StreamControl control() {
        return new StreamControl(client, place(""));
    }

    private StreamGroup place(String group) {
        return new StreamGroup(key, group, from, minEntries, maxDead);
    }
}
