// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.Command;
import io.millrace.client.RedisClient;
import io.millrace.client.Streams;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A queue of tasks that is a stream of Redis, with a group of consumers or several: each group gets every task.
 *
 * @param <T> a task
 */
public final class StreamQueue<T> {

    private final String key;
    private final FieldsCodec<T> codec;
    private final String from;
    private final long cutAt;
    private final long keptAtLeast;

    private StreamQueue(String key, FieldsCodec<T> codec, String from, long cutAt, long keptAtLeast) {
        this.key = key;
        this.codec = codec;
        this.from = from;
        this.cutAt = cutAt;
        this.keptAtLeast = keptAtLeast;
    }

    /**
     * The stream {@code key}, whether it is there yet or not, with tasks written by {@code codec}. A new group begins with its oldest
     * entry, and nothing is trimmed.
     *
     * @throws IllegalArgumentException if {@code key} is empty, or has a closing brace but no hash tag
     */
    public static <T> StreamQueue<T> of(String key, FieldsCodec<T> codec) {
        String unused = KeyNames.beside(key, "dead"); // or is refused
        return new StreamQueue<>(key, codec, "0", Long.MAX_VALUE, -1);
    }

    /** The same, where a group that is not there yet begins after the entry {@code id}; {@code $} is the newest. */
    public StreamQueue<T> groupsFrom(String id) {
        return new StreamQueue<>(key, codec, id, cutAt, keptAtLeast);
    }

    /**
     * The same, with a sink that has the server cut the stream's old end when it has more than about {@code entries}, from 1, WHETHER
     * THEY WERE DONE OR NOT: what a consumer then finds gone it counts as {@linkplain QueueAccount#vanished vanished}, if it was
     * delivered before; what it had in hand it may count as {@linkplain QueueAccount#takenAway taken away}; and of what was not delivered
     * it never hears.
     */
    public StreamQueue<T> cutAt(long entries) {
        Ranges.check("entries", entries, 1, Long.MAX_VALUE);
        return new StreamQueue<>(key, codec, from, entries, keptAtLeast);
    }

    /**
     * The same, with sources that cut from the stream's old end what every group of it is done with, leaving about {@code entries}, 0
     * or more, and up to a node of the stream more, which is 100 as servers are set. What is unread or unacknowledged in any group
     * stays, and so does what comes after it. Done every third of the lease, and at the end, each time until nothing is left to cut.
     */
    public StreamQueue<T> trimmingDone(long entries) {
        Ranges.check("entries", entries, 0, Long.MAX_VALUE);
        return new StreamQueue<>(key, codec, from, cutAt, entries);
    }

    /**
     * The key of the stream of entries that were put aside, which nobody trims. Each has its fields, and {@code millrace-id}, its ID
     * in this stream, {@code millrace-group}, {@code millrace-deliveries} and {@code millrace-reason}. Of an entry with more than 3,500
     * fields they are one, {@code millrace-fields}: their names and values in turn, as an array of MessagePack.
     */
    public String deadLetters() {
        return place("").dead();
    }

    /** Puts tasks into the queue. */
    public QueueSink<T> sink(RedisClient client) {
        return new QueueSink<>(client, task -> add(codec.encode().apply(task)));
    }

    private Command<String> add(Map<String, byte[]> fields) {
        if (fields.isEmpty()) {
            throw new IllegalArgumentException(
                    "a task has no fields: queue=" + key + ". Its codec gives at least one.");
        }
        List<Object> arguments = new ArrayList<>();
        arguments.add(key);
        if (cutAt < Long.MAX_VALUE) {
            arguments.addAll(List.of("MAXLEN", "~", cutAt));
        }
        arguments.add("*");
        fields.forEach((name, value) -> {
            arguments.add(name);
            arguments.add(value);
        });
        return Command.of(Streams.XADD, arguments.toArray());
    }

    /**
     * A source that delivers to {@code group}, which it makes if it is not there, each task at least once. A task stays pending for its
     * consumer until it was done; those of a consumer that has not been heard of for the lease are claimed by others. Twice done can
     * only be what was in the hands of a consumer that died, was silent for longer than the lease, or could not acknowledge; and what
     * a server that crashed, or that another took the place of, has forgotten was acknowledged. It may forget tasks in the same way.
     *
     * <p>A task that failed or timed out is claimed after the lease; one that was cancelled at once, or, if it was never begun, within a
     * third of the lease. One that was delivered as often as
     * it may be is put aside, in one step with its acknowledgement, and so is one that cannot be decoded.
     */
    public QueueSource<T> source(RedisClient client, String group, ConsumerOptions options) {
        return new QueueSource<>(client, new StreamStock<>(client, place(group), codec, options), options);
    }

    private StreamStock.Place place(String group) {
        return new StreamStock.Place(key, group, from, keptAtLeast);
    }
}
