// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.Pipeline;
import io.millrace.client.RedisClient;
import io.millrace.client.Result;
import io.millrace.client.command.Command;
import io.millrace.client.exception.RedisException;
import io.millrace.tasks.Batch;
import io.millrace.tasks.BatchConsumer;
import io.millrace.tasks.TaskConsumer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * A task consumer that pushes tasks to a queue, one by one or in batches. Batches are much faster: each batch is one
 * pipeline. The tasks are in the queue when {@code accept} returns. If the reply to a push is lost, the task may be in
 * the queue already, and a retry can push the task twice. Thread-safe.
 *
 * @param <T> the type of the tasks
 */
public final class QueueSink<T> implements TaskConsumer<T>, BatchConsumer<T> {

    private final RedisClient client;
    private final Function<? super T, Command<?>> push;

    QueueSink(RedisClient client, Function<? super T, Command<?>> push) {
        this.client = client;
        this.push = push;
    }

    /**
     * Pushes one task and waits for the reply.
     *
     * @throws RedisException if the push failed or its outcome is unknown
     */
    @Override
    public void accept(T task) {
        client.call(push.apply(task));
    }

    /**
     * Pushes the tasks in order and waits for all replies. If the push of a task failed, marks the task as failed in
     * {@code batch}.
     */
    @Override
    public void accept(Batch<T> batch) {
        Pipeline pipeline = client.pipeline();
        List<T> tasks = batch.tasks();
        List<Optional<Result<?>>> results = new ArrayList<>(tasks.size());
        for (int i = 0; i < tasks.size(); i++) {
            results.add(add(pipeline, batch, i));
        }
        pipeline.run();
        for (int i = 0; i < tasks.size(); i++) {
            Optional<Result<?>> result = results.get(i);
            if (result.isPresent() && !result.get().ok()) {
                batch.fail(i, failure(result.get()));
            }
        }
    }

    private Optional<Result<?>> add(Pipeline pipeline, Batch<T> batch, int index) {
        Command<?> command;
        try {
            command = push.apply(batch.tasks().get(index));
        } catch (RuntimeException e) { // thrown by the codec
            batch.fail(index, e);
            return Optional.empty();
        }
        return Optional.of(pipeline.add(command));
    }

    private static Throwable failure(Result<?> result) {
        try {
            return new IllegalStateException("a failed command must not have a value: value=" + result.value());
        } catch (RedisException e) {
            return e;
        }
    }
}
