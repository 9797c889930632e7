// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.client.internal.Engine;
import java.util.concurrent.CompletableFuture;

/**
 * A client of one Redis server. Thread-safe, and made to be shared: all callers' commands travel over one connection, each
 * gets its own reply, and none is written down twice.
 *
 * <p>Every command that is submitted ends in exactly one outcome, which {@link #counts} adds up. A deadline counts from
 * submission and includes waiting for a place. When the connection ends, every command on it ends too; the client does not
 * connect again.
 */
public final class RedisClient implements AutoCloseable {

    private final Engine engine;

    private RedisClient(Engine engine) {
        this.engine = engine;
    }

    /**
     * Connects to the server at {@code uri} with default options.
     *
     * @throws ConnectException if it cannot be reached, or does not let us in
     */
    public static RedisClient connect(RedisUri uri) {
        return connect(ClientOptions.of(uri));
    }

    /**
     * Connects as {@code options} say. Blocks for the connect timeout at most.
     *
     * @throws ConnectException if the server cannot be reached, or does not let us in
     */
    public static RedisClient connect(ClientOptions options) {
        return new RedisClient(new Engine(options));
    }

    /**
     * Runs {@code command} and waits for its value, for the command timeout at most. Made for virtual threads, fine on any.
     *
     * @throws RedisException of a kind that says what happened, and whether the command may have been executed
     */
    public <T> T call(Command<T> command) {
        return engine.call(command);
    }

    /**
     * Runs {@code command} without waiting for its reply. Returns at once while there is a place in flight; otherwise waits
     * for one until the command's deadline. The future is completed on a virtual thread of its own, so what hangs on it may
     * block; cancelling it does not call the command back.
     */
    public <T> CompletableFuture<T> send(Command<T> command) {
        return engine.send(command);
    }

    /**
     * Opens a connection of its own for very many commands.
     *
     * @throws ConnectException if the server cannot be reached, or does not let us in
     */
    public BulkWriter bulkWriter(BulkOptions options, BulkListener listener) {
        return engine.bulkWriter(options, listener);
    }

    /** Whether the connection still works. */
    public boolean isOpen() {
        return engine.isOpen();
    }

    /** What became of the commands of {@link #call} and {@link #send} so far. */
    public CommandCounts counts() {
        return engine.counts();
    }

    /** Ends the connection. What has no outcome yet is lost. Bulk writers are closed by themselves, before their client. */
    @Override
    public void close() {
        engine.close();
    }
}
