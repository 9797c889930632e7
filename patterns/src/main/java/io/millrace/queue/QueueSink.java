// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.Command;
import io.millrace.client.Pipeline;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisException;
import io.millrace.client.Result;
import io.millrace.tasks.Batch;
import io.millrace.tasks.BatchConsumer;
import io.millrace.tasks.TaskConsumer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Puts tasks into a queue, as the consumer of a flow: one by one, or, far faster, in batches, each of which is one pipeline. What is
 * accepted is in the queue when the call returns. A push that fails in a way that leaves open whether it was executed may, when it is
 * tried again, be in the queue twice. For any number of threads.
 *
 * @param <T> a task
 */
public final class QueueSink<T> implements TaskConsumer<T>, BatchConsumer<T> {

    private final RedisClient client;
    private final Function<? super T, Command<?>> push;

    QueueSink(RedisClient client, Function<? super T, Command<?>> push) {
        this.client = client;
        this.push = push;
    }

    /**
     * Puts one task into the queue and waits until it is there.
     *
     * @throws RedisException if it is not, or if that is not known
     */
    @Override
    public void accept(T task) {
        client.call(push.apply(task));
    }

    /** Puts the tasks into the queue in their order, and waits until they are there; says of each that is not. */
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
        } catch (RuntimeException e) { // of the codec
            batch.fail(index, e);
            return Optional.empty();
        }
        return Optional.of(pipeline.add(command));
    }

    private static Throwable failure(Result<?> result) {
        try {
            return new IllegalStateException("a command that failed has a value: " + result.value());
        } catch (RedisException e) {
            return e;
        }
    }
}
