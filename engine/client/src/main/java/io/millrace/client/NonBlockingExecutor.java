// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.util.Objects;
import java.util.concurrent.Executor;

/**
 * An executor whose {@code execute} never blocks and never runs the task itself, such as an event loop. For {@link
 * RedisClient#send(io.millrace.client.command.Command, Executor)}: the thread that reads the replies calls such an
 * executor, which saves a thread switch per read. Two objects with the same executor count as one executor.
 *
 * <p>A call that blocks delays all replies of a connection. If a call takes longer than 100 ms, the client logs a
 * warning, and from then on calls all executors on virtual threads.
 *
 * @param executor the executor; must be thread-safe
 */
public record NonBlockingExecutor(Executor executor) implements Executor {

    public NonBlockingExecutor {
        Objects.requireNonNull(executor, "executor");
    }

    @Override
    public void execute(Runnable task) {
        executor.execute(task);
    }
}
