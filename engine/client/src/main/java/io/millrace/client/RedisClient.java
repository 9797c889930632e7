// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.client.command.Command;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.command.ScriptCall;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.client.exception.RedisException;
import io.millrace.client.exception.RefusedException;
import io.millrace.client.internal.Engine;
import io.millrace.client.internal.time.ClockAndRandom;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * A client of one Redis server. Thread-safe and meant to be shared. The commands of all callers are multiplexed over a
 * few connections; all commands of one thread use the same connection. Commands that arrive during a socket write are
 * sent together with the next write.
 *
 * <p>Every submitted command has exactly one {@link Outcome}; {@link #stats} counts the outcomes. A deadline begins at
 * submission and includes the wait for a permit of the window. The number of commands and bytes in flight is limited;
 * see {@link Overflow}.
 *
 * <p>A lost connection is replaced. Commands whose bytes the operating system had not accepted completely are sent
 * again, in order. Commands that were sent but not answered are lost, unless they are marked as repeatable with
 * {@link CommandSpec#idempotently}.
 */
public final class RedisClient implements AutoCloseable {

    private final Engine engine;

    private RedisClient(Engine engine) {
        this.engine = engine;
    }

    /**
     * Connects to the server at {@code uri} with default options.
     *
     * @throws ConnectException if the server cannot be reached or rejects the login
     */
    public static RedisClient connect(RedisUri uri) {
        return connect(ClientOptions.of(uri));
    }

    /**
     * Connects with {@code options}. Opens the shared connections one after the other. On return each connection is
     * open and logged in, and the server has replied to a first command over the connection. Blocks for at most twice
     * the connect timeout per connection: once for connection and login, once for the first reply.
     *
     * @throws ConnectException if the server cannot be reached or rejects the login
     */
    public static RedisClient connect(ClientOptions options) {
        return connect(options, ClockAndRandom.SYSTEM);
    }

    /** Connects with another clock and source of randomness, for tests. */
    static RedisClient connect(ClientOptions options, ClockAndRandom clockAndRandom) {
        return new RedisClient(new Engine(options, clockAndRandom));
    }

    /**
     * Runs {@code command} and blocks until the command's value is available, at most for the command timeout. Works on
     * any thread, best on virtual threads. A command that the server may block, such as {@code BLPOP}, runs on a
     * dedicated connection.
     *
     * @throws RedisException if the command failed; the subtype gives the kind of failure, and
     *     {@link RedisException#maybeExecuted} shows whether the command may have been executed
     * @throws IllegalArgumentException if the command needs a {@linkplain #borrow dedicated connection}
     */
    public <T> T call(Command<T> command) {
        return engine.call(command);
    }

    /**
     * Runs a script by its SHA-1, and sends the script's body if the server does not have the script. Blocks until the
     * value is available, at most for one command timeout for each of the two commands. The {@link #stats} count both
     * commands; the first command counts as an error if the script is missing. Neither command is sent again after a
     * lost connection.
     *
     * <p>Any error other than {@code NOSCRIPT} is thrown, and the script is not repeated. A script must not return an
     * error with the code {@code NOSCRIPT}, because the script would then run twice.
     *
     * @throws RedisException in the same cases as {@link #call(Command)}, for the last command that was sent
     */
    public <T> T call(ScriptCall<T> script) {
        try {
            return engine.call(script.byHash());
        } catch (ErrorReplyException e) {
            if (!e.code().equals("NOSCRIPT")) {
                throw e;
            }
            return engine.call(script.withBody());
        }
    }

    /**
     * Runs {@code command} without waiting for its reply. Returns at once if the window has a free permit; otherwise
     * the {@link Overflow} policy applies. The future is completed on a virtual thread, so its dependents may block
     * without delaying other futures. Cancelling the future does not cancel the command.
     *
     * @throws IllegalArgumentException if the server may block the command, or the command needs a dedicated connection
     */
    public <T> CompletableFuture<T> send(Command<T> command) {
        return engine.send(command);
    }

    /**
     * Returns a pipeline that stores the result of each command until the next call of {@link Pipeline#run} returns all
     * results.
     */
    public Pipeline pipeline() {
        return engine.pipeline(null);
    }

    /**
     * Returns a pipeline of unlimited length. The pipeline passes each result to {@code listener} and stores no result.
     */
    public Pipeline pipeline(ResultListener listener) {
        return engine.pipeline(listener);
    }

    /** Returns a transaction without {@code WATCH}. For {@code WATCH}, {@link #borrow} a connection. */
    public Transaction transaction() {
        return engine.transaction();
    }

    /**
     * Borrows a dedicated connection. Blocks until a connection is free, at most for the command timeout.
     *
     * @throws RefusedException if no connection became free; the message names the thread that has borrowed a
     *     connection for the longest time
     * @throws ConnectException if a new connection cannot be opened
     * @throws InterruptedCommandException if the thread is interrupted while it waits
     */
    public DedicatedConnection borrow() {
        return engine.borrow();
    }

    /**
     * Opens a separate connection for bulk writing.
     *
     * @throws ConnectException if the server cannot be reached or rejects the login
     */
    public BulkWriter bulkWriter(BulkOptions options, BulkListener listener) {
        return engine.bulkWriter(options, listener);
    }

    /**
     * Opens a separate connection for pub/sub messages. Blocks until the server has confirmed the subscription.
     *
     * @throws ConnectException if the server cannot be reached, or rejects the login or the subscription
     */
    public Subscription subscribe(SubscribeOptions subscribeOptions) {
        return engine.subscribe(subscribeOptions);
    }

    /**
     * Opens a separate connection over which the server reports changed keys. Blocks until the server has confirmed the
     * tracking.
     *
     * @throws ConnectException if the server cannot be reached, rejects the login, or does not support tracking, which
     *     needs RESP3 and the right to {@code CLIENT TRACKING}
     */
    public Tracking track(TrackingOptions options) {
        return engine.track(options);
    }

    /** Whether every shared connection works at this moment. Returns the last known state and sends no command. */
    public boolean isOpen() {
        return engine.isOpen();
    }

    /**
     * Sends a {@code PING} over every shared connection at once and blocks for the replies, at most for
     * {@code timeout}. The {@code PING}s count as commands.
     *
     * @param timeout 1 ms to 1 day
     * @throws InterruptedCommandException if the thread is interrupted while it waits
     */
    public Health health(Duration timeout) {
        return engine.health(timeout);
    }

    /** Returns the statistics of the commands so far, in total and by connection. Takes no lock. */
    public ClientStats stats() {
        return engine.stats();
    }

    /** Returns the total counts of {@link #stats}. */
    public CommandCounts counts() {
        return engine.counts();
    }

    /**
     * Closes all connections of this client. Commands without an outcome are lost. Bulk writers, subscriptions and
     * trackings must be closed separately, before their client.
     */
    @Override
    public void close() {
        engine.close();
    }
}
