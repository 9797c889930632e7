// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.client;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A Redis client that the lab measures. This is the only interface that a client of your own must implement.
 *
 * <p>The class needs a public constructor without parameters. The lab makes one object, calls {@link #open} once, then
 * the other methods, and at last {@link #close}. After {@code open}, any number of threads may use the object at the
 * same time.
 *
 * <p>A method throws, or completes its stage with, the exception of the library if the server answers with an error, if
 * a time limit passes, or if the connection is lost. An adapter must not repeat a command that failed, unless the
 * library does this by default. An adapter that does not support one of the ways to send throws {@link
 * UnsupportedOperationException}.
 */
public interface ClientAdapter extends AutoCloseable {

    /** Connects. Returns when the connections that {@code target} asks for are open and authenticated. */
    void open(Target target) throws Exception;

    /** Sends one command and waits for the reply. */
    @Nullable
    Object call(Operation operation) throws Exception;

    /**
     * Sends one command and returns without waiting for the reply. The method may block if the client limits the
     * commands in flight.
     */
    CompletionStage<? extends @Nullable Object> send(Operation operation) throws Exception;

    /**
     * Sends all commands without waiting between them, then waits for all replies.
     *
     * @return the replies in the order of the commands
     */
    List<? extends @Nullable Object> batch(List<Operation> operations) throws Exception;

    /** Closes all connections and ends all threads of the library. */
    @Override
    void close() throws Exception;
}
