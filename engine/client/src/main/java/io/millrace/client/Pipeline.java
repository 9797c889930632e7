// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.util.List;

/**
 * Commands whose replies nobody waits for one by one.
 *
 * <pre>{@code
 * Pipeline pipeline = client.pipeline();
 * Result<Long> visits = pipeline.add(Strings.increment("visits"));
 * Result<Optional<String>> name = pipeline.add(Strings.get("name"));
 * pipeline.run();
 * show(visits.value(), name.value());
 * }</pre>
 *
 * <p>Commands go out in portions while others are still being added, in the order in which they were added, and between
 * portions those of other callers. Adding waits only where the limit of what may be in flight is reached. A command's time
 * limit begins when its portion goes out.
 *
 * <p>A pipeline belongs to one thread at a time, and can be used again after {@link #run}.
 */
public interface Pipeline {

    /** The most results that are kept: a million, so that a forgotten {@link #run} does not fill the memory. */
    int MOST_RESULTS = 1_000_000;

    /**
     * Adds {@code command}. If a {@link ResultListener} is told meanwhile and throws, the command is in all the same.
     *
     * @return its result, to be looked at after {@link #run}
     * @throws IllegalStateException at more than {@link #MOST_RESULTS} since the last run; a pipeline of any length is
     *     {@code RedisClient.pipeline(listener)}
     * @throws IllegalArgumentException if the command blocks or needs a dedicated connection
     */
    <T> Result<T> add(Command<T> command);

    /**
     * Sends what is left and waits until every command has an outcome, for the command timeout at most.
     *
     * @return all results since the last run, in the order of the commands; none if a listener was told
     * @throws InterruptedCommandException if the thread was interrupted meanwhile; the commands go on, and may be waited
     *     for by another run
     */
    List<Result<?>> run();
}
