// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import java.util.function.Consumer;

/**
 * Work whose connections are open. One thread calls the methods: for each round {@link #prepare}, {@link #fill}, {@link
 * #run} once or more, {@link #details}. Only {@code run} is measured.
 */
public interface ReadyWork extends AutoCloseable {

    /** Prepares a round. The server may still hold the keys of the last round. */
    default void prepare() throws Exception {}

    /** Writes the keys that the round needs to the empty server. */
    default void fill() throws Exception {}

    /**
     * Does one unit of work. Returns when the last reply has arrived.
     *
     * @return number of operations that succeeded
     */
    long run() throws Exception;

    /** Sets the listener for events during {@link #run}. Any thread may call the listener. */
    default void watch(Consumer<ProgressEvent> listener) {}

    /** What else is known about the last round. Stops everything that must not continue during rounds of others. */
    default RoundDetails details() throws Exception {
        return RoundDetails.NONE;
    }

    @Override
    void close() throws Exception;
}
