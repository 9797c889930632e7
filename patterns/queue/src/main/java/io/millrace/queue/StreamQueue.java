// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.RedisClient;
import io.millrace.client.Setting;
import io.millrace.client.command.Command;
import io.millrace.client.command.Streams;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A task queue in a Redis stream with one or more consumer groups. Each group gets every task.
 *
 * @param <T> the type of the tasks
 */
public final class StreamQueue<T> {

    private final String key;
    private final FieldsCodec<T> codec;
    private final String from;
    private final long maxLength;
    private final long minEntries;

    private StreamQueue(String key, FieldsCodec<T> codec, String from, long maxLength, long minEntries) {
        this.key = key;
        this.codec = codec;
        this.from = from;
        this.maxLength = maxLength;
        this.minEntries = minEntries;
    }

    /**
     * Returns the queue in the stream {@code key}, which need not exist. A new group begins with the oldest entry. The
     * queue does not trim the stream.
     *
     * @throws IllegalArgumentException if {@code key} is empty, or has a closing brace but no hash tag
     */
    public static <T> StreamQueue<T> of(String key, FieldsCodec<T> codec) {
        String unused = KeyNames.additional(key, "dead"); // throws an exception if the key is invalid
        return new StreamQueue<>(key, codec, "0", Long.MAX_VALUE, -1);
    }

    /**
     * Returns a copy whose new consumer groups begin after the entry {@code id}. The id {@code $} means the newest
     * entry.
     */
    public StreamQueue<T> newGroupsFrom(String id) {
        return new StreamQueue<>(key, codec, id, maxLength, minEntries);
    }

    /**
     * Returns a copy whose sinks limit the length of the stream to about {@code entries}, which is 1 or more. The
     * server removes the oldest entries <strong>even if they are not acknowledged</strong>. If a removed entry was due
     * for redelivery, a consumer counts the entry as {@linkplain QueueStats#missing missing}. If a removed entry was
     * pending, its consumer may count the entry as {@linkplain QueueStats#noLongerPending no longer pending}. Removed
     * entries that were never delivered are not counted.
     */
    public StreamQueue<T> maxLength(long entries) {
        Setting.checkArgument("entries", entries, 1L, Long.MAX_VALUE);
        return new StreamQueue<>(key, codec, from, entries, minEntries);
    }

    /**
     * Returns a copy whose sources trim the oldest entries that all groups have acknowledged. Trimming keeps at least
     * {@code entries} entries, and up to one node of the stream more. {@code entries} is 0 or more. By default a node
     * has 100 entries. Trimming stops at the first entry that is unread or unacknowledged in any group. A source trims
     * every third of the lease and when it is closed.
     */
    public StreamQueue<T> trimAcknowledged(long entries) {
        Setting.checkArgument("entries", entries, 0L, Long.MAX_VALUE);
        return new StreamQueue<>(key, codec, from, maxLength, entries);
    }

    /**
     * Returns the key of the stream of dead-lettered entries. The queue does not trim this stream. Each entry has its
     * original fields and four more fields: {@code millrace-id} (the ID of the entry in the queue), {@code
     * millrace-group}, {@code millrace-deliveries} and {@code millrace-reason}. If an entry has more than 3,500
     * original fields, the original fields are stored in the single field {@code millrace-fields} as a MessagePack
     * array of alternating names and values.
     */
    public String deadLetters() {
        return place("").deadLetters();
    }

    /** Returns a sink that adds tasks. */
    public QueueSink<T> sink(RedisClient client) {
        return new QueueSink<>(client, task -> add(codec.encode().apply(task)));
    }

    private Command<String> add(Map<String, byte[]> fields) {
        if (fields.isEmpty()) {
            throw new IllegalArgumentException(
                    "a task has no fields: queue=" + key + ". Use a codec that returns at least one field.");
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
     * Returns a source that delivers each task to {@code group} at least once. The source creates the group if it does
     * not exist. A task stays pending for its consumer until the task is done. If a consumer does not renew its lease
     * in time, other consumers claim its pending tasks.
     *
     * <p>The next paragraph describes the redeliveries of unsuccessful tasks. Apart from these redeliveries, a task can
     * be executed twice only in the following cases: its consumer died, its consumer was silent for longer than the
     * lease, its consumer could not acknowledge the task, or the server lost the acknowledgement in a crash or a
     * failover. In a crash or a failover, a server can also lose tasks.
     *
     * <p>A failed or timed out task is delivered again after the lease. A task that was cancelled after it started is
     * delivered again immediately. A task that was cancelled before it started is delivered again within a third of the
     * lease. If a task has reached the maximum number of deliveries, or cannot be decoded, the server dead-letters and
     * acknowledges the task in one step.
     */
    public QueueSource<T> source(RedisClient client, String group, ConsumerOptions options) {
        return new QueueSource<>(client, new StreamBackend<>(client, place(group), codec, options), options);
    }

    private StreamBackend.StreamGroup place(String group) {
        return new StreamBackend.StreamGroup(key, group, from, minEntries);
    }
}
