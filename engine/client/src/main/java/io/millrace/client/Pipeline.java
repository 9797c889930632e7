// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.client.command.Command;
import io.millrace.client.command.ScriptCall;
import io.millrace.client.exception.InterruptedCommandException;
import java.util.List;

/**
 * Sends commands without waiting for each reply.
 *
 * <pre>{@code
 * Pipeline pipeline = client.pipeline();
 * Result<Long> visits = pipeline.add(Strings.increment("visits"));
 * Result<Optional<String>> name = pipeline.add(Strings.get("name"));
 * pipeline.run();
 * show(visits.value(), name.value());
 * }</pre>
 *
 * <p>The pipeline sends commands in batches while the caller adds more commands. The commands keep their order, but
 * commands of other callers may be sent between two batches. {@link #add} blocks only while the limit of commands or
 * bytes in flight is reached. The time limit of a command begins when its batch is submitted.
 *
 * <p>Not thread-safe: a pipeline must be used by one thread at a time. It can be used again after {@link #run}.
 */
public interface Pipeline {

    /**
     * Maximum number of results that a pipeline stores between two calls of {@link #run}: 1,000,000. Without this
     * limit, the results would fill the memory if the caller never called {@code run}. The limit does not apply to a
     * pipeline with a {@link ResultListener}.
     */
    int MAX_RESULTS = 1_000_000;

    /**
     * Adds {@code command}. If a {@link ResultListener} throws an exception during this call, the pipeline nevertheless
     * contains the command.
     *
     * @return the result, available after {@link #run}
     * @throws IllegalStateException if the pipeline already stores {@link #MAX_RESULTS} results. For more commands
     *     between two runs, use {@code RedisClient.pipeline(listener)}
     * @throws IllegalArgumentException if the command blocks or needs a dedicated connection
     */
    <T> Result<T> add(Command<T> command);

    /**
     * Adds {@code script} as one {@code EVAL} command with the script's body, so the script runs in order also on a
     * server that does not have the script. After {@code EVALSHA} and a {@code NOSCRIPT} error, the script would run
     * after the later commands.
     *
     * @return the result, available after {@link #run}
     */
    default <T> Result<T> add(ScriptCall<T> script) {
        return add(script.withBody());
    }

    /**
     * Sends the remaining commands and blocks until every command has an outcome, at most for the command timeout.
     *
     * @return all results since the last run, in the order of the commands; empty if the pipeline has a listener
     * @throws InterruptedCommandException if the thread is interrupted while it waits. The commands are not cancelled;
     *     call {@code run} again to wait for their outcomes
     */
    List<Result<?>> run();
}
