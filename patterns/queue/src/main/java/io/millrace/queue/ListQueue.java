// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Lists;
import java.nio.charset.StandardCharsets;

/**
 * A task queue in a Redis list. Producers push at the left end, and consumers take from the right end. Other programs
 * can push with {@code LPUSH}. Each pushed task is delivered, even if another task has the same bytes.
 *
 * <p>The queue {@code feeds} has additional keys, whose names begin with <code>{feeds}:</code>. If the name of a queue
 * contains a hash tag, its additional keys begin with the unchanged name and a colon. The additional keys contain the
 * pending tasks of each consumer, the tasks that wait for redelivery, and the list {@link #deadLetters}. Consumers take
 * the tasks that are due for redelivery first, in the order of their due times. New tasks follow.
 *
 * @param <T> the type of the tasks
 */
public final class ListQueue<T> {

    private final ListKeys keys;
    private final Codec<T> codec;

    private ListQueue(ListKeys keys, Codec<T> codec) {
        this.keys = keys;
        this.codec = codec;
    }

    /**
     * Returns the queue in the list {@code key}, which need not exist. If {@code codec} cannot encode a task, the
     * producer receives the exception. A task that {@code codec} cannot decode is dead-lettered.
     *
     * @throws IllegalArgumentException if {@code key} is empty, or has a closing brace but no hash tag
     */
    public static <T> ListQueue<T> of(String key, Codec<T> codec) {
        return new ListQueue<>(new ListKeys(key), codec);
    }

    /** Returns the key of the list of dead-lettered payloads. The queue neither reads nor trims this list. */
    public String deadLetters() {
        return keys.dead();
    }

    /** Returns a sink that pushes tasks. */
    public QueueSink<T> sink(RedisClient client) {
        byte[] key = keys.queue().getBytes(StandardCharsets.UTF_8);
        return new QueueSink<>(client, task -> Lists.pushLeft(key, codec.encode(task)));
    }

    /**
     * Returns a source that delivers each task at least once. A task stays in Redis, pending for its consumer, until
     * the task is done. If a consumer does not renew its lease in time, its pending tasks are delivered to other
     * consumers.
     *
     * <p>The next paragraph describes the redeliveries of unsuccessful tasks. Apart from these redeliveries, a task can
     * be executed twice only in the following cases: its consumer died, its consumer was silent for longer than the
     * lease, its consumer could not acknowledge the task, or the server lost the acknowledgement in a crash or a
     * failover. In a crash or a failover, a server can also lose tasks.
     *
     * <p>A failed or timed out task is delivered again after the lease. A task that was cancelled after it started is
     * delivered again immediately. A task that was cancelled before it started is delivered again within a third of the
     * lease.
     */
    public QueueSource<T> source(RedisClient client, ConsumerOptions options) {
        return new QueueSource<>(client, new ListBackend<>(client, keys, codec, options), options);
    }
}
