// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.command.Command;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Access to a queue on the server, for one source. If a method fails, the method throws a {@link
 * io.millrace.client.exception.RedisException}. The caller can then call the method again. Only the thread of the
 * source calls {@link #take} and {@link #await}. Any thread can call the other methods.
 */
interface QueueBackend<T> {

    /** Returns the name of the queue, which messages contain. */
    String name();

    /** Prepares the queue for this consumer. The source calls this method first, and again after a failure. */
    void open();

    /** Takes up to {@code max} tasks, redeliveries first. Does not wait. */
    FetchResult<T> take(int max);

    /**
     * Waits for new tasks, for at most {@code wait}. Either takes the new tasks and returns them, or returns no task.
     * If the result has no task, the caller calls {@link #take} again.
     */
    FetchResult<T> await(int max, Duration wait);

    /** Returns whether the queue has no new task and no consumer has a pending task. */
    boolean isEmpty();

    /** Renews the lease of this consumer. {@code ids} are the ids of its pending tasks. */
    void renew(List<String> ids);

    /**
     * Returns the command that settles a task, or empty if the server needs no command. The reply to the command says
     * whether the task was still pending for this consumer.
     */
    Optional<Command<Boolean>> acknowledgement(Acknowledgement acknowledgement);

    /** Does periodic maintenance, such as trimming. */
    void maintain();

    /** Returns the remaining pending tasks of this consumer to the queue, and removes the consumer. */
    void leave();
}
