// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.client;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A Redis client that the lab measures. This is the only interface that an own client must implement.
 *
 * <p>The class needs a public constructor without parameters. The lab makes one object, calls {@link #open} once, then
 * the other methods, and at last {@link #close}, also if {@code open} failed. After {@code open}, any number of threads
 * may use the object at the same time.
 *
 * <p>A method throws, or completes its stage with, the exception of the library if the server answers with an error, if
 * a time limit passes, or if the connection is lost. An adapter must not repeat a command that failed, unless the
 * library does this by default. An adapter implements the methods
 * {@link #call}, {@link #send} and {@link #batch} if its library supports them; the lab does not call the others.
 */
public interface ClientAdapter extends AutoCloseable {

    /** Connects. Returns when the connections that {@code target} asks for are open and authenticated. */
    void open(Target target) throws Exception;

    /** Sends one command and waits for the reply. */
    default @Nullable Object call(Operation operation) throws Exception {
        throw new UnsupportedOperationException(getClass().getName() + " does not support call");
    }

    /**
     * Sends one command and returns without waiting for the reply. The method may block if the client limits the
     * commands in flight.
     */
    default CompletionStage<? extends @Nullable Object> send(Operation operation) throws Exception {
        throw new UnsupportedOperationException(getClass().getName() + " does not support send");
    }

    /**
     * Sends all commands without waiting between them, then waits for all replies.
     *
     * @return the replies in the order of the commands
     */
    default List<? extends @Nullable Object> batch(List<Operation> operations) throws Exception {
        throw new UnsupportedOperationException(getClass().getName() + " does not support batch");
    }

    /** Closes all connections and ends all threads of the library. */
    @Override
    void close() throws Exception;
}
