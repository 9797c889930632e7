// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.Lists;
import io.millrace.client.RedisClient;
import java.nio.charset.StandardCharsets;

/**
 * A queue of tasks that is a list of Redis: tasks are pushed at its left end and taken at its right, so others may push by {@code
 * LPUSH}. Equal tasks are different tasks, each delivered by itself.
 *
 * <p>Beside the list {@code feeds} there may be keys whose names begin with <code>{feeds}:</code>, or with {@code feeds:} if the name
 * has a hash tag of its own: the tasks in consumers' hands, those to be delivered again, and, in the list {@link #deadLetters}, those put
 * aside. Tasks to be delivered again come before new ones, in the order in which they may be.
 *
 * @param <T> a task
 */
public final class ListQueue<T> {

    private final ListKeys keys;
    private final TaskCodec<T> codec;

    private ListQueue(ListKeys keys, TaskCodec<T> codec) {
        this.keys = keys;
        this.codec = codec;
    }

    /**
     * The list {@code key}, whether it is there yet or not, with tasks written by {@code codec}.
     *
     * @throws IllegalArgumentException if {@code key} is empty, or has a closing brace but no hash tag
     */
    public static <T> ListQueue<T> of(String key, TaskCodec<T> codec) {
        return new ListQueue<>(new ListKeys(key), codec);
    }

    /** The key of the list of tasks that were put aside, as they were pushed; nothing is taken from it, and nobody trims it. */
    public String deadLetters() {
        return keys.dead();
    }

    /** Puts tasks into the queue. */
    public QueueSink<T> sink(RedisClient client) {
        byte[] key = keys.queue().getBytes(StandardCharsets.UTF_8);
        return new QueueSink<>(
                client, task -> Lists.pushLeft(key, codec.encode().apply(task)));
    }

    /**
     * A source that delivers each task at least once. A task stays in Redis, in its consumer's hands, until it was done; those of a
     * consumer that has not been heard of for the lease are delivered to others. Twice done can only be what was in the hands of a
     * consumer that died, was silent for longer than the lease, or could not acknowledge; and what a server that crashed, or that another
     * took the place of, has forgotten was acknowledged. It may forget tasks in the same way.
     *
     * <p>A task that failed or timed out is delivered again after the lease; one that was cancelled at once, or, if it was never begun,
     * within a third of the lease.
     */
    public QueueSource<T> source(RedisClient client, ConsumerOptions options) {
        return new QueueSource<>(client, new ListStock<>(client, keys, codec, options), options);
    }

    /**
     * A source that delivers each task AT MOST ONCE: Redis forgets a task when it gives it. <strong>If the process dies, all tasks that
     * it had fetched are lost: those in the buffer, those in hand, and those on the way. So is what was on the way when a connection was
     * lost, and a task that failed or timed out.</strong> For tasks that are worth less than the two commands that the other source
     * takes for a batch and the one for each task.
     *
     * <p>Tasks that were never begun go back within a third of the lease, at the latest when the source is closed. One that {@linkplain
     * ConsumerOptions#untilEmpty ends when the queue is empty} does not wait for those that others have: they may go back later. Of the options {@code lease} and {@code maxDeliveries} are not
     * looked at, but for the times said. With this source on it {@link #source} must not be used.
     */
    public QueueSource<T> sourceAtMostOnce(RedisClient client, ConsumerOptions options) {
        return new QueueSource<>(client, new PoppedStock<>(client, keys, codec, options), options);
    }
}
